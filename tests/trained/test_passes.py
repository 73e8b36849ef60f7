"""One forward pass: against PyTorch's, and against what Hugging Face said of the same weights; by
strings and by a tree; the names that other libraries give.
"""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import pad

from chapters.common.learners import network as learning
from chapters.common.learners.ensemble import Ensemble
from chapters.common.learners.strings import CLS, tokens
from lib.languages import PARITY
from lib.trained import Judged, Positive, TrainedNetwork, from_gpt2, from_pytorch, logits
from lib.trained.arithmetic import Floats
from lib.trained.audit import Reader, Strings, given
from lib.trained.passes import outputs
from lib.trained.published import from_configuration
from tests.trained.hugging_face import HEADS
from tests.trained.networks import GPT2, LAYER_NORM, SHAPES, Encoder, gpt2, hugging_face

EXACTLY = 1e-12


def strings(length: int) -> list[str]:
    """All strings of a length."""
    return [*PARITY.all_strings(length)]


def equal(found: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two arrays are equal but for rounding."""
    return found.shape == expected.shape and float((found - expected).abs().max()) < EXACTLY


PLACES = [(shape, place) for shape in SHAPES for place in ("first", "last")]
MEANS = [(shape, "mean") for shape in SHAPES]


@pytest.mark.parametrize(("shape", "read_at"), PLACES + MEANS, ids=str)
def test_an_encoder_says_what_pytorch_says(shape, read_at):
    theirs = Encoder(**shape)
    rows = given(theirs.judged(), strings(6))
    with torch.no_grad():
        said = theirs(rows)
    place = {"first": 0, "last": -1}
    said = said.mean(1) if read_at == "mean" else said[:, place[read_at]]
    (ours,) = outputs(theirs.judged(read_at), rows, Floats())
    assert equal(ours, said)
    sees_nothing = read_at == "first" and shape.get("causal")
    assert (float(said.std()) < EXACTLY) == bool(sees_nothing)


@pytest.mark.parametrize("activation", ["gelu_new", "gelu", "relu"])
def test_gpt2_says_what_hugging_face_said(activation):
    _, rows, logits = hugging_face()
    network = gpt2(activation)
    for n in range(1, rows.shape[1] + 1):
        judged = Judged(network, {"a": 0}, Positive(0))
        (ours,) = outputs(judged, rows[:, :n], Floats())
        assert equal(ours, logits[activation][:, n - 1])
    assert not torch.equal(logits["gelu"], logits["gelu_new"])


NANOGPT = {  # PyTorch's names, and nanoGPT's for the same matrices
    **{"encoder.layers.": "h.", "encoder.norm": "ln_f", "norm1": "ln_1", "norm2": "ln_2"},
    **{"self_attn.in_proj_": "attn.c_attn.", "self_attn.out_proj": "attn.c_proj"},
    **{"linear1": "mlp.c_fc", "linear2": "mlp.c_proj"},
    **{"word": "wte", "position": "wpe", "output": "lm_head"},
}


@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("causal", [True, False])
def test_what_tensors_do_not_say_is_asked_of_who_reads_them(norm, causal):
    said = {"heads": 2, "activation": "gelu", "eps": 1e-5, "norm": norm, "causal": causal}
    said |= {"model_type": "nanogpt"}
    for seed in range(3):
        theirs = Encoder(seed, pre_norm=True, activation="gelu", causal=causal, norm=norm)
        state = theirs.state_dict()
        for name, renamed in NANOGPT.items():
            state = {key.replace(name, renamed): value for key, value in state.items()}
        judged = replace(theirs.judged(), network=from_gpt2(state, **said))
        with torch.no_grad():
            module = theirs(given(judged, strings(5)))[:, -1]
        assert equal(logits(judged, strings(5)), module)
        network = from_gpt2(state, **said | {"causal": not causal})
        assert not equal(logits(replace(judged, network=network), strings(5)), module)
        if norm == "rms":
            with pytest.raises(ValueError, match="'h.0.ln_1.bias' is expected, as there is 'h.0"):
                from_gpt2(state, **said | {"norm": "layer"})
    with pytest.raises(ValueError, match="one of gpt2, nanogpt, not 'gpt_bigcode'"):
        from_gpt2(state, **said | {"model_type": "gpt_bigcode"})  # its tensors have the same names
    if norm == "layer":
        with pytest.raises(ValueError, match="nothing reads the tensor 'h.0.ln_1.bias'"):
            from_gpt2(state, **said | {"norm": "rms"})


def tree_agrees(judged: Judged, longest: int) -> bool:
    """Whether a tree and whole strings give the same outputs."""
    level = Strings(judged, "count(Q('1')) > 0")
    by_tree = Reader(judged, Floats())
    by_tree.read(level.words, None)
    for _ in range(longest):
        step = level.longer()
        found = by_tree.read(level.words, step)
        (whole,) = outputs(judged, given(judged, level.words), Floats())
        if by_tree.tree is None or not equal(found[0], whole):
            return False
    return True


@pytest.mark.parametrize("offset", [0, 3])
def test_a_tree_of_prefixes_says_what_whole_strings_say(offset):
    judged = Encoder(**SHAPES[3]).judged()
    with_offset = Judged(**{**judged.__dict__, "offset": offset})
    assert tree_agrees(with_offset, 6)


def test_a_tree_turns_queries_and_keys_alike():
    network = gpt2("gelu")
    turning = TrainedNetwork(**{**network.__dict__, "positions": None, "rotary": 100.0})
    assert tree_agrees(Judged(turning, {"0": 0, "1": 1}, Positive(0), before=(2,)), 5)


def test_a_stored_mask_that_hides_other_tokens_is_no_causal_one():
    state, _, _ = hugging_face()
    window = torch.ones(9, 9).tril().triu(-1)
    given = {"model_type": "gpt2", "heads": HEADS, "activation": "gelu_new", **LAYER_NORM}
    whole = torch.ones(1, 1, 9, 9).tril()
    several = torch.ones(2, 9, 9).tril()
    few = [(whole[..., :n, :n], True) for n in (1, 4)]  # of nine; one number hid nothing
    for mask, causal in ((window, True), (whole, False), (2 * whole, True), *few):
        with pytest.raises(ValueError, match="'h.0.attn.bias' is expected to hide later tokens"):
            from_gpt2({**state, "h.0.attn.bias": mask}, **given, causal=causal)
    for name, value, message in (
        ("h.0.attn.masked_bias", torch.tensor(-1.0), "expected to be at most -9000"),
        ("h.9.attn.bias", whole, "'h.2.attn.c_attn.weight' is expected among .*h.9.attn.bias"),
    ):
        with pytest.raises(ValueError, match=message):
            from_gpt2({**state, name: value}, **given, causal=True)
    hidden = {"h.0.attn.bias": several, "h.0.attn.masked_bias": torch.tensor(-1e4)}
    assert from_gpt2({**state, **hidden}, **given, causal=True).causal


def test_a_classifiers_output_and_tied_words_have_their_names():
    state, _, _ = hugging_face()
    given = GPT2 | {"activation": "gelu_new"}
    whole = from_gpt2(state, **given)
    word = state["transformer.wte.weight"]
    scored = from_gpt2({**state, "score.weight": word[:2]}, **given, output="score")
    assert torch.equal(scored.output.weight, whole.output.weight[:, :2])
    alone = {k: x for k, x in state.items() if "wte" not in k} | {"lm_head.weight": word}
    assert torch.equal(from_gpt2(alone, **given).word, whole.word)


@pytest.mark.parametrize("positions", ["FIRST", "PARITY", "sinusoidal"])
def test_positions_that_no_tensor_says_are_a_function(positions):
    """As those of our own learners are."""
    shape, words = learning.Network(positions=positions), strings(5)
    learner = Ensemble(shape, [learning.Member(3, 5)], torch.float64)
    logits, _ = learner(tokens(words))

    def rows(n: int) -> torch.Tensor:
        i, of = torch.arange(n)[None], torch.tensor([[n]])
        found = learning.features(positions, i, of, shape.width)[0]
        return pad(found, (0, shape.width - found.shape[-1]))

    known = {"pre_norm": False, "causal": False, "word": "word", "last": None}
    known |= LAYER_NORM | {"eps": shape.eps}
    network = from_pytorch(
        learner.state(0), heads=shape.heads, activation="relu", position=rows, **known
    )
    judged = Judged(network, {"0": 0, "1": 1}, Positive(), before=(CLS,), read_at="first")
    (ours,) = outputs(judged, given(judged, words), Floats())
    assert equal(ours[:, 0], logits[0])


def test_the_second_names_of_gpt2_say_what_the_first_do():
    """Hugging Face takes them before the first."""
    state = hugging_face()[0]
    config = {"model_type": "gpt2", "n_head": HEADS, "n_layer": 2, "layer_norm_epsilon": 1e-5}
    config |= {"activation_function": "gelu_new", "num_hidden_layers": 2}
    assert from_configuration(state, config).heads == HEADS
    with pytest.raises(ValueError, match=f"n_head must be {2 * HEADS}, not {HEADS}"):
        from_configuration(state, config | {"num_attention_heads": 2 * HEADS})
