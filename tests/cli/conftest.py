import pytest

from monitor.cli import main


@pytest.fixture
def run(capsys):
    """Exit code, standard output and standard error of one command."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return call
