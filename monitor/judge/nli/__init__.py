"""The judge that asks an inference model of yours: an ONNX cross-encoder of two or three labels."""

from monitor.config.judging import NliPart
from monitor.judge.nli.files import find_files
from monitor.judge.nli.judge import NliJudge
from monitor.judge.nli.labels import label_order
from monitor.judge.nli.network import open_network


def nli_judge(part: NliPart) -> NliJudge:
    """The judge with the model that the settings name.

    JudgeError where the extra `nli` is missing, a file is not there, the model's labels are not
    named, its inputs are of another kind, or the hub is out of reach.
    """
    found = find_files(part)
    network = open_network(found, label_order(found.config), part)
    return NliJudge(network, f"nli-{found.name}@{RULES}.{found.digest}", batch=part.batch)


RULES = "1"
"""Raised with every change of a rule here that can change a verdict."""

__all__ = ["NliJudge", "nli_judge"]
