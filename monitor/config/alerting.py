"""What raises an alert, and who is told: the section `alerts` of the settings."""

from pydantic import Field

from monitor.config.channels import Channel, ChannelName, LinksBase
from monitor.config.parts import Part
from monitor.domain.alert import NO_RULES, AlertRules, ShareScope


class AlertsPart(Part):
    """Which changes are told, how gravely, and when an alert closes."""

    share: ShareScope = NO_RULES.share
    """Share of source families: `eligible` (all with enough citations), `watched`, or `off`."""
    required_lost: bool = NO_RULES.required_lost
    """Tell that a required source is no longer cited."""
    contradiction: bool = NO_RULES.contradiction
    """Tell that sources contradict the claims they are cited for more often."""
    measures: tuple[str, ...] = NO_RULES.measures
    """Measures whose change is told, by the names of docs/measures.md; empty tells none."""
    concentration: bool = NO_RULES.concentration
    """Tell that citations are spread over more or fewer sources."""
    coverage: bool = NO_RULES.coverage
    """Tell that a run cannot be compared, or that an engine was not heard."""
    engine_changed: bool = NO_RULES.engine_changed
    """Tell that another model is served, or that too much changed at once."""
    critical_change: float = Field(default=NO_RULES.critical_change, gt=0, le=1)
    """Change of a watched family's share, as a fraction, from which an alert is critical."""
    many: float = Field(default=NO_RULES.many, gt=0, le=1)
    """Part of the tested families that change at once, from which the engine itself changed."""
    drift_runs: int = Field(default=NO_RULES.drift_runs, ge=1, le=12)
    """Earlier runs pooled into the second baseline, which finds slow drift; 1 turns it off."""
    strict_level: float = Field(default=NO_RULES.strict_level, gt=0, le=0.05)
    """Adjusted p, at most, of all that is told beside the shares against the run before."""
    quiet_runs: int = Field(default=NO_RULES.quiet_runs, ge=1, le=12)
    """Runs in a row without it after which an alert closes."""
    channels: dict[ChannelName, Channel] = Field(default={}, exclude=True)
    """Name -> a channel that alerts are told by; `alerts.channels.NAME` below has its settings."""
    links: LinksBase = None
    """Where the folder `reports` is served, for links in messages; None names files instead.

    Where it is set, each run writes its report as it ends, before anybody is told.
    """

    @property
    def rules(self) -> AlertRules:
        """The same as the rules know it."""
        names = AlertRules.__dataclass_fields__
        return AlertRules(**{name: getattr(self, name) for name in names})
