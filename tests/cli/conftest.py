import pytest

from monitor.cli import main


@pytest.fixture
def call(capsys):
    """Exit code, standard output and standard error of one command."""

    def called(*words):
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return called
