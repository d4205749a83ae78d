"""The section `alerts` of the settings is the rules, and its defaults are theirs."""

from dataclasses import fields

from monitor.config.alerting import AlertsPart
from monitor.domain.alert import NO_RULES, AlertRules


def test_settings_that_say_nothing_are_the_rules_of_the_product():
    assert AlertsPart().rules == NO_RULES == AlertRules()


def test_every_rule_can_be_set():
    names = {field.name for field in fields(AlertRules)}
    assert names == set(AlertsPart.model_fields) - {"channels", "links"}
    assert AlertsPart(strict_level=0.02, drift_runs=1).rules == AlertRules(
        strict_level=0.02, drift_runs=1
    )
