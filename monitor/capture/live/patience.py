"""How long each part of a live capture may take."""

from dataclasses import dataclass

from monitor.config.parts import BrowserPart


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds for each phase of a capture; each ends by itself, and `whole` ends them all."""

    navigate: float = 30
    ready: float = 20
    """Until the page can be asked."""
    first_text: float = 60
    """From the question to the first words."""
    complete: float = 180
    """From the question to the finished answer."""
    panel: float = 10
    """For each thing that is opened."""
    whole: float = 300
    stable: float = 2
    """How long the text must stay as it is."""

    @property
    def quiet(self) -> float:
        """How long a text must stay as it is that has no end mark."""
        return 5 * self.stable

    @property
    def look(self) -> float:
        """Seconds between two looks."""
        return min(0.1, self.stable / 5)


def patience_of(part: BrowserPart) -> Patience:
    """Patience by the settings; no phase outlives the whole."""
    whole = part.timeout_seconds
    usual = Patience()
    return Patience(
        navigate=min(usual.navigate, whole),
        ready=min(usual.ready, whole),
        first_text=min(usual.first_text, part.answer_seconds, whole),
        complete=min(part.answer_seconds, whole),
        panel=min(usual.panel, whole),
        whole=whole,
        stable=part.stable_seconds,
    )
