"""A cross-encoder small enough to compute by hand: it counts words of the claim in the premise.

With `share` the share of the claim's words that the premise holds, and `turned` 1 where just one
of both says `not`, the logits are: entailment 12 (share - 0.8) - 30 turned, contradiction
24 turned share - 14, neutral 0. Words are those of WORDS; all others are one unknown word.
"""

import json

import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "not")
WORDS = (
    "the", "ferry", "takes", "minutes", "forty", "bread", "needs", "salt", "tea", "is", "hot",
    "green", "cold", "and", "rivers", "run", "deep", "stone", "walls", "stand", "was", "old",
    "mill", "river", "bridge", "has", "three", "arches",
)  # fmt: skip
LABELS = ("entailment", "neutral", "contradiction")


def write_model(
    folder, *, labels=LABELS, inputs=("input_ids", "attention_mask", "token_type_ids"),
    longest=40, shape=("batch", "length"), outputs=None, kind=TensorProto.INT64,
):  # fmt: skip
    """A folder with the model, its tokenizer and its config, labels in the order given."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(_model(outputs or labels, inputs, shape, kind), folder / "model.onnx")
    _tokenizer().save(str(folder / "tokenizer.json"))
    config = {
        "max_position_embeddings": longest,
        "id2label": {str(place): label for place, label in enumerate(labels)},
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def _tokenizer():
    vocabulary = {word: place for place, word in enumerate((*SPECIAL, *WORDS))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made


def _model(labels, inputs, shape, kind):
    """The graph; where the model takes no token types, the claim is what follows the first [SEP]."""
    node, steps = helper.make_node, []

    def step(operator, taken, made, **options):
        steps.append(node(operator, taken, [made], **options))
        return made

    constants = {"four": 4, "not_id": 4, "sep": 3}
    numbers = {"one": 1.0, "least": 0.8, "k12": 12.0, "k30": 30.0, "k24": 24.0, "k14": 14.0,
               "tiny": 1e-6, "half": 0.5}  # fmt: skip
    held = [helper.make_tensor(n, kind, [], [v]) for n, v in constants.items()]
    held += [helper.make_tensor(n, TensorProto.FLOAT, [], [v]) for n, v in numbers.items()]
    held += [helper.make_tensor(f"axis{n}", TensorProto.INT64, [1], [n]) for n in (1, 2)]
    held += [helper.make_tensor("last", TensorProto.INT64, [], [1])]
    step("Cast", [step("Equal", ["input_ids", "sep"], "is_sep")], "seps", to=TensorProto.FLOAT)
    step("CumSum", ["seps", "last"], "seen", exclusive=1)
    step("Greater", ["seen", "half"], "in_claim")
    step("Not", ["in_claim"], "in_premise")
    step("Greater", ["input_ids", "four"], "is_word")
    step("And", ["in_claim", "is_word"], "claim_word")
    step("And", ["in_premise", "is_word"], "premise_word")
    step("Unsqueeze", ["input_ids", "axis1"], "as_row")
    step("Unsqueeze", ["input_ids", "axis2"], "as_column")
    step("Equal", ["as_row", "as_column"], "same")
    step("Unsqueeze", ["premise_word", "axis1"], "premise_row")
    step("And", ["same", "premise_row"], "found")
    step("ReduceMax", [step("Cast", ["found"], "found_f", to=TensorProto.FLOAT)], "covered",
         axes=[2], keepdims=0)  # fmt: skip
    step("Cast", ["claim_word"], "claim_f", to=TensorProto.FLOAT)
    step("ReduceSum", [step("Mul", ["covered", "claim_f"], "hit"), "axis1"], "hits")
    step("ReduceSum", ["claim_f", "axis1"], "words")
    step("Div", ["hits", step("Add", ["words", "tiny"], "some")], "share")
    step("Equal", ["input_ids", "not_id"], "is_not")
    for side in ("claim", "premise"):
        step("And", ["is_not", f"in_{side}"], f"{side}_not")
        step("Cast", [f"{side}_not"], f"{side}_not_f", to=TensorProto.FLOAT)
        step("ReduceMax", [f"{side}_not_f"], f"{side}_denies", axes=[1], keepdims=1)
    step("Abs", [step("Sub", ["claim_denies", "premise_denies"], "gap")], "turned")
    step("Mul", [step("Sub", ["share", "least"], "above"), "k12"], "raised")
    step("Sub", ["raised", step("Mul", ["turned", "k30"], "fall")], "entailment")
    step("Mul", [step("Mul", ["turned", "share"], "against"), "k24"], "turned_up")
    step("Sub", ["turned_up", "k14"], "contradiction")
    step("Sub", ["share", "share"], "neutral")
    step("Identity", ["neutral"], "not_entailment")
    step("Concat", list(labels), "logits", axis=1)
    graph = helper.make_graph(
        steps,
        "tiny",
        [helper.make_tensor_value_info(name, kind, list(shape)) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", len(labels)])],
        held,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
