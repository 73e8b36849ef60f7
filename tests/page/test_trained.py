"""The page's judge of trained networks: its outputs and verdicts are the library's, its bounds hold
against balls, and what is amiss has one clear error.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save
from torch import Tensor

from lib.languages import MAJORITY, PARITY
from lib.proofs import regular
from lib.trained import Judged, Largest, NextTokens, Positive, from_gpt2
from lib.trained.arithmetic import Bounded
from lib.trained.audit import audit, given
from lib.trained.passes import outputs
from record.runs import CHAPTERS
from tests.trained.networks import ATTACKS, GPT2, SHAPES, Encoder, attacked, hugging_face
from tests.trained.test_arithmetic import truth

FORM = {
    **dict.fromkeys(("encoder", "word", "position", "last", "output", "norm", "norms", "mask"), ""),
    **{"eps": "1e-5", "offset": "0", "readAt": "last", "decides": "positive", "which": "0"},
    **{"symbols": "01", "tokens": "0 1", "before": "2", "after": "3", "language": ""},
    **{"heads": "2", "activation": "gelu", "expression": "(0|1)*1", "longest": "6"},
    **{"noPosition": "none", "noLast": "none", "joined": ""},
}
OF_ENCODER = {"word": "word.weight", "position": "position.weight"}
OF_ENCODER |= {"encoder": "encoder.", "output": "output.weight"}


def file(state: dict[str, Tensor]) -> str:
    """A .safetensors file, as text."""
    return base64.b64encode(save({name: x.contiguous() for name, x in state.items()})).decode()


def shape_of(shape: dict[str, Any]) -> dict[str, Any]:
    """A shape of the tests' encoders, as the page says it."""
    plain = {"norm": "layer", "eps": 1e-5, "heads": 2, "causal": False}
    return plain | shape | {"preNorm": shape.get("pre_norm", False)}


def read(engine, state: dict, shape: dict, judged: Judged, rows: Tensor) -> list[np.ndarray]:
    """The page's outputs and their bounds; NaN where it proves nothing."""
    asked = {
        **{"symbols": [*judged.tokens], "tokens": [*judged.tokens.values()]},
        **{"before": judged.before, "after": judged.after, "readAt": judged.read_at},
        **{"decides": "positive", "which": [0], "offset": judged.offset},
    }
    found = engine("outputs", file(state), shape, asked, rows.tolist())
    return [np.array([one[part] for one in found], dtype=float) for part in (0, 1)]


def held_against_balls(found: list[np.ndarray], judged: Judged, rows: Tensor) -> int:
    """Holds bounds against balls of 200 bits; how many of them there are."""
    exact, width = truth(judged, rows)
    centre, bound = found
    wrong = np.abs(centre - exact) > bound + width + 2.0**-52 * np.abs(exact)
    assert not wrong.any() and width < 1e-25
    return int(np.isfinite(bound).sum())


def check_like(found: list[np.ndarray], expected: np.ndarray, bound: np.ndarray) -> None:
    """Bounds may differ by what functions of other accuracy explain: a term that is left out would
    be seen here, as true errors are a thousandth of the bounds.
    """
    assert np.abs(found[0] - expected).max() < 1e-12
    assert (np.abs(found[1] / bound - 1) < 0.1).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_encoder_says_what_the_library_says_within_bounds_that_hold(engine, shape):
    for read_at in ("first", "last", "mean"):
        theirs = Encoder(scale=3.0, **shape)
        judged = theirs.judged(read_at)
        for n in (0, 3, 6):
            rows = given(judged, [*PARITY.all_strings(n)][:8])
            found = read(engine, theirs.state_dict(), shape_of(shape), judged, rows)
            check_like(found, *(part.numpy() for part in outputs(judged, rows, Bounded())))
            assert n > 3 or held_against_balls(found, judged, rows) == len(rows)


@pytest.mark.parametrize("activation", ["gelu_new", "gelu", "relu"])
def test_gpt2_says_what_hugging_face_said_and_bounds_hold_under_attack(engine, activation):
    state, rows, logits = hugging_face()
    shape = GPT2 | {"activation": activation}
    judged = Judged(from_gpt2(state, **shape), {"a": 0}, Positive(0))
    turned = {  # nanoGPT's matrices and names
        f"_orig_mod.{name}": x.T if ".c_" in name and x.ndim == 2 else x
        for name, x in state.items()
    } | {"_orig_mod.lm_head.weight": state["transformer.wte.weight"].clone()}
    bound = outputs(judged, rows, Bounded())[1].numpy()
    for one in (state, turned):
        found = read(engine, one, shape, judged, rows)
        check_like(found, logits[activation][:, -1].numpy(), bound)
    for name, (_, _, eps) in ATTACKS.items():
        other, network = attacked(activation, name)
        judged = Judged(network, {"a": 0}, Positive(0))
        found = read(engine, other, shape | {"eps": eps}, judged, rows[:4, :6])
        assert held_against_balls(found, judged, rows[:4, :6]) == 24


def agree(engine, state: dict, answers: dict, judged: Judged, language: Any) -> dict:
    """Asserts that the page's verdict is the library's; gives the library's counts."""
    expected = audit(judged, language, longest=int(answers["longest"]), floats=())
    found = engine("audit", file(state), answers)
    counts = {length: tuple(rest) for length, *rest in found["byLength"]}
    assert expected.balls == 0
    assert (counts, found["nearest"]) == (expected.by_length, expected.nearest)
    assert tuple(found["wrong"]) == expected.wrong
    margin = found["margin"]
    assert margin is None or margin == pytest.approx(expected.margin, rel=1e-9)
    assert all((w or "the empty string") in " ".join(found["sentences"]) for w in expected.wrong)
    return expected.by_length


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_verdicts_are_the_librarys(engine, shape):
    theirs, is_before = Encoder(scale=2.0, **shape), shape.get("pre_norm")
    answers = FORM | OF_ENCODER | {"activation": shape["activation"]}
    answers |= {"norms": "before" if is_before else "after", "norm": shape.get("norm", "")}
    answers |= {"mask": "causal" if shape.get("causal") else "none"}
    answers |= {"last": "encoder.norm.weight" if is_before else ""}
    state, judged = theirs.state_dict(), theirs.judged()
    assert engine("guess", file(state)) == OF_ENCODER | {"last": answers["last"]}
    agree(engine, state, answers | {"language": "MAJORITY"}, judged, MAJORITY)
    at = Judged(**{**judged.__dict__, "offset": 9, "after": ()})
    cut = answers | {"offset": "9", "after": "", "longest": "9"}
    assert max(agree(engine, state, cut, at, regular("(0|1)*1", "01"))) == 6


def test_two_outputs_and_next_tokens_decide_as_in_the_library(engine):
    state, _, _ = hugging_face()
    network = from_gpt2(state, activation="gelu", **GPT2)
    tokens = {"0": 0, "1": 1, "2": 3}
    answers = FORM | {"symbols": "012", "tokens": "0, 1, 3", "after": "", "longest": "5"}
    two = answers | {"mask": "causal", "decides": "largest", "which": "1 4"}
    judged = Judged(network, tokens, Largest(1, 4), before=(2,))
    by_length = agree(engine, state, two, judged, regular("(0|1)*1", "012"))
    assert sum(wrong for _, wrong, _ in by_length.values()) not in (0, 364)
    following = two | {"decides": "next", "which": "5", "expression": "0(10)*2?|2{2,3}"}
    judged = Judged(network, tokens, NextTokens(5, "positive"), before=(2,))
    by_length = agree(engine, state, following, judged, regular("0(10)*2?|2{2,3}", "012"))
    assert [strings for strings, _, _ in by_length.values()] == [1, 2, 3, 2, 2, 1]
    amiss = engine("audit", file(state), following | {"language": "PARITY"})["error"]
    assert amiss == "a language over 0, 1, 2 is expected, not PARITY over 0, 1"


def test_norms_of_matrices_are_bounded_and_every_type_of_floats_is_read(engine):
    torch.manual_seed(0)
    for n, m in ((3, 5), (40, 8), (1, 9), (16, 16)):
        matrix = torch.randn(n, m, dtype=torch.float64)
        largest = float(torch.linalg.matrix_norm(matrix, 2))
        assert largest <= engine("bound", matrix.flatten().tolist(), n, m) < 1.03 * largest
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        x = torch.cat([torch.randn(50), 1e-6 * torch.randn(50), torch.tensor([0.0, -0.0])]).to(
            dtype
        )
        assert engine("tensor", file({"x": x, "y": x[:3].clone()}), "x") == x.double().tolist()


SAID = FORM | OF_ENCODER | {"activation": "relu", "norms": "after", "mask": "none"}
FIRST = "encoder.layers.1.linear1.weight"
BAD = [  # what differs in the tensors, what in the answers, and what is said of it
    ({}, {"heads": "", "mask": ""}, "please choose what the tensors do not say: heads, mask"),
    ({}, {"eps": "no"}, "an epsilon above 0 is expected, not NaN"),
    ({}, {"decides": "largest"}, "two of the network's outputs, 0 to 0, must be named by num"),
    ({}, {"norm": "rms"}, "nothing reads the tensor 'encoder.layers.0.norm1.bias'"),
    ({}, {"position": ""}, "nothing reads the tensor 'position.weight'"),
    (
        {"encoder.layers.1.norm2.bias": None},
        {"norm": "layer"},
        "a tensor 'encoder.layers.1.norm2.bias' is expected, as there is 'encoder.layers.0",
    ),
    (
        {f"encoder.layers.{k}.linear1.bias": None for k in (0, 1)},
        {},
        "a tensor 'encoder.layers.0.linear1.bias' is expected, as there is 'encoder.layers.0",
    ),
    ({FIRST: torch.zeros(32, 15)}, {}, f"the tensor '{FIRST}' must be of shape (any, 16), not"),
    ({"word.weight": torch.full((4, 16), torch.nan)}, {}, "the tensor 'word.weight' must hol"),
    ({"output.bias": torch.zeros(1).long()}, {}, "the tensor 'output.bias' must be floats, "),
]


def test_what_is_amiss_has_one_clear_error(engine):
    plain = Encoder(**SHAPES[0]).state_dict()
    bare = {name: x for name, x in plain.items() if not re.match("encoder.*bias", name)}
    said = engine("audit", file(bare), SAID | {"norm": "layer"})["sentences"][-1]
    assert "layers 2 of width 16 with 32 hidden units, heads 2" in said
    assert all(f"; no {name}; " in said for name in plain.keys() - bare)
    for changes, answers, message in BAD:
        state = {name: x for name, x in (plain | changes).items() if x is not None}
        said = engine("audit", file(state), SAID | answers)
        assert said.get("error", "").startswith(message), (said, message)
    torn = base64.b64encode(base64.b64decode(file(plain))[:-8]).decode()
    assert engine("audit", torn, SAID)["error"].startswith("the file ends within the tensor '")
    state = hugging_face()[0]
    lost = {name: x for name, x in state.items() if "wte" not in name}
    for asked in (("audit", file(lost), SAID), ("configuration", json.dumps(CONFIG), file(lost))):
        assert engine(*asked)["error"].startswith("a tensor 'wte.weight' is expected")
    twice = state | {"wte.weight": state["transformer.wte.weight"] + 1}
    asked = SAID | {"mask": "causal", "norm": "layer", "activation": "gelu"}
    said = engine("audit", file(twice), asked)
    assert said["error"] == "each tensor is expected once, with or without a prefix"


def test_parts_that_leave_no_tensor_are_asked_for_and_told(engine):
    """A table of positions that `forward` computes, or a last norm without weights, leaves none."""
    state = Encoder(**SHAPES[1]).state_dict()
    state = {
        name: x for name, x in state.items() if "position" not in name and ".norm." not in name
    }
    asked = SAID | {"norms": "before", **engine("guess", file(state))}
    unsaid = "positions, which no tensor holds", "last norm, which no tensor holds"
    said = engine("audit", file(state), asked | {"noPosition": "", "noLast": ""})
    assert said["error"].endswith("do not say: " + ", ".join(unsaid))
    for name, question in zip(("noPosition", "noLast"), unsaid, strict=True):
        amiss = engine("audit", file(state), asked | {name: "some"})["error"]
        assert amiss == f"this page cannot read the file so: {question}"
    assumed = engine("audit", file(state), asked)["sentences"][-1]
    for part in ("no norm after the last", "no positions are added", "words are as", "layers 2 of"):
        assert part in assumed


@pytest.mark.parametrize("of_one_layer", [True, False])
@pytest.mark.parametrize("bias", ["c_fc.bias", "c_attn.bias", "ln_2.bias", "ln_f.bias", "bias"])
@pytest.mark.parametrize("kind", ["gpt2", "nanogpt"])
def test_a_lost_bias_is_missed_as_in_the_library(engine, kind, bias, of_one_layer):
    """What every layer had lost was read as 0."""
    state = {k: x for k, x in hugging_face()[0].items() if not (of_one_layer and "h.1." in k)}
    state = {
        k: x.T if kind == "nanogpt" and ".c_" in k and x.ndim == 2 else x for k, x in state.items()
    }
    asked = FORM | {"mask": "causal", "after": "", "heads": "2", "longest": "2", "norm": "layer"}
    for lost, whole in ((None, True), (bias, (kind, bias) == ("nanogpt", "bias"))):
        some = {k: x for k, x in state.items() if not (lost and k.endswith(lost))}
        said = engine("audit", file(some), asked | {"joined": "none"})
        assert ("error" not in said) == whole
        try:
            from_gpt2(some, activation="gelu", **GPT2 | {"model_type": kind})
        except ValueError as error:
            assert said["error"] == str(error).replace('"', "'")
        else:
            assert whole


def test_nanogpts_joint_matrix_is_told_from_bigcodes_by_an_answer(engine):
    """Both have the same names and shapes, and GPT-BigCode's was read as nanoGPT's."""
    state = {
        name: x.T if ".c_" in name and x.ndim == 2 else x for name, x in hugging_face()[0].items()
    }
    asked = FORM | {"mask": "causal", "after": "", "heads": str(GPT2["heads"]), "longest": "2"}
    question = "order of queries, keys and values, which no tensor says"
    assert engine("audit", file(state), asked)["error"].endswith(f"do not say: {question}")
    for answer, amiss in (
        ("some", f"this page cannot read the file so: {question}"),
        ("none", None),
    ):
        said = engine("audit", file(state), asked | {"joined": answer})
        assert said.get("error") == amiss
    plain = engine("audit", file(hugging_face()[0]), asked)
    assert plain["sentences"] == said["sentences"]


TRIL = torch.ones(1, 1, 9, 9).tril()
IN = "transformer.h.0.attn."
MASKS = [  # tensors beside GPT-2's, and what is said of them, if anything
    ({f"{IN}bias": TRIL.bool(), f"{IN}masked_bias": torch.tensor(-1e4)}, ""),
    ({f"{IN}masked_bias": torch.tensor(-10.0)}, "h.0.attn.masked_bias' must be at most -9000, not"),
    ({f"{IN}bias": TRIL.triu(-1)}, "must hide later tokens alone"),
    ({f"{IN}bias": TRIL[..., :1, :1]}, "must hide later tokens alone"),  # of nine
    ({"transformer.h.99.attn.bias": TRIL}, "a tensor 'h.2.attn."),
]


@pytest.mark.parametrize("more, message", MASKS)
def test_masks_are_taken_or_refused_as_in_the_library(engine, more, message):
    state = hugging_face()[0] | more
    asked = FORM | {"mask": "causal", "after": "", "heads": str(GPT2["heads"]), "longest": "2"}
    assert message in (said := engine("audit", file(state), asked)).get("error", ""), said
    assert ("error" in said) == bool(message)
    try:
        from_gpt2(state, activation="gelu", **GPT2)
    except ValueError:
        assert message
    else:
        assert not message


CONFIG = {"model_type": "gpt2", "n_head": 2, "layer_norm_epsilon": 1e-5, "n_inner": None}
CONFIG |= {"activation_function": "gelu_new", "dtype": "float64"}
CONFIGS = [  # what differs in a config.json, and what is said of it
    ({"model_type": "bert"}, 'model_type must be "gpt2" in config.json, not "bert"'),
    ({"is_causal": False}, "is_causal must be true in config.json, not false"),
    ({"n_layer": 12}, "n_layer must be 2 in config.json, not 12"),
    ({"n_inner": 7}, "n_inner must be "),
    ({"tie_word_embeddings": False}, "tie_word_embeddings must be true in config.json, not false"),
    ({"num_attention_heads": 4}, "num_attention_heads must be 2 in config.json, not 4"),
    ({"dtype": "float16"}, 'dtype must be float64 in config.json, not "float16"'),
    ({"quantization_config": {"bits": 4}}, "config.json has the key 'quantization_config', which"),
    ({"attn_logit_softcapping": 3}, "config.json has the key 'attn_logit_softcapping', which may"),
]


def test_a_config_json_must_fit_the_tensors(engine):
    state = file(hugging_face()[0])
    known = {"heads": "2", "activation": "gelu_new", "eps": "0.00001", "mask": "causal"}
    assert engine("configuration", json.dumps(CONFIG), state) == known
    right = {"n_layer": 2, "n_embd": 8, "n_positions": 9, "n_inner": 32, "vocab_size": 6}
    assert engine("configuration", json.dumps(CONFIG | right), state) == known
    for change, message in CONFIGS:
        said = engine("configuration", json.dumps(CONFIG | change), state)
        assert said.get("error", "").startswith(message), (change, said)
    tensors = hugging_face()[0]
    first = next(name for name, tensor in tensors.items() if tensor.is_floating_point())
    mixed = file(tensors | {first: tensors[first].float()})  # Hugging Face rounds them all to one
    message = "tensors of one type are expected, not of "
    assert engine("configuration", json.dumps(CONFIG), mixed)["error"].startswith(message)
    amiss = engine("configuration", json.dumps(CONFIG))["error"]
    assert amiss == "tensors of GPT-2 are expected before its config.json, or with it"
    files = ["config.json", "a.safetensors"]
    assert engine("dropped", files) == files[::-1]
    for more in ("b.safetensors", "generation_config.json", "old/config.json"):
        amiss = engine("dropped", [*files, more])["error"]
        assert amiss.endswith(f"too) is expected, not config.json, a.safetensors, {more}")


BROKEN = [  # what differs in the header of a file, and what is said of it
    ('"data_offsets":[0,', '"data_offsets":[-8,', "must begin where the one before it ends"),
    ('"word.weight"', '"output.weight"', "must begin where the one before it ends"),  # twice
    ('"dtype"', '"type","data_offsets":0,"dtype"', "a .safetensors file is expected"),
]


@pytest.mark.parametrize("old, new, message", BROKEN)
def test_a_file_that_would_be_read_elsewhere_is_refused(engine, old, new, message):
    """Each entry of a header begins where the one before it ends, as the format says."""
    whole = base64.b64decode(file(Encoder(**SHAPES[0]).state_dict()))
    size = 8 + int.from_bytes(whole[:8], "little")
    header = whole[8:size].decode()
    assert old in header
    header = header.replace(old, new, 1).encode()
    broken = len(header).to_bytes(8, "little") + header + whole[size:]
    said = engine("audit", base64.b64encode(broken).decode(), SAID)
    assert message in said.get("error", ""), said


def test_parts_that_no_name_and_no_bias_tells_are_asked_for(engine):
    """Of two tables the names tell which is of words, if one does; of two maps a bias does."""
    state = Encoder(pre_norm=True).state_dict()
    assert engine("guess", file(state)) == OF_ENCODER | {"last": "encoder.norm.weight"}
    for word, position in (("composer.", "where."), ("pos_tag.", "position.")):
        renamed = {key.replace("word.", word): x for key, x in state.items()}
        renamed = {key.replace("position.", position): x for key, x in renamed.items()}
        found = engine("guess", file(renamed))
        assert found["position"] == found["word"] == ""
    del state["output.bias"]
    guess = engine("guess", file(state))
    assert (guess["word"], guess["output"]) == ("", "")
    amiss = engine("audit", file(state), SAID | {"norms": "before"} | guess)["error"]
    assert amiss == "please choose what the tensors do not say: word, output"


def test_the_examples_of_the_book_can_be_read(engine):
    folder = CHAPTERS / "_static" / "networks"
    for one in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        whole = base64.b64encode((folder / one["file"]).read_bytes()).decode()
        answers = FORM | {"eps": "", "which": ""} | one | {"longest": "4"}
        assert engine("audit", whole, answers)["strings"] == 31
