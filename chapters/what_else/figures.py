"""What else could I use?: the tables of the stored run, and what its sentences say of it."""

from collections.abc import Iterator
from itertools import product
from math import log10

from record.runs import stored

NAMES = {  # of the peers, as the page calls them
    "this book": "this book",
    "tracr": "tracr, by counts",
    "tracr, by shares": "tracr, by shares",
    "tracr, by shares, 1,000": "tracr, by shares, exactness 1,000",
    "C-RASP": "C-RASP's compiler",
    "PyTorch": "`nn.TransformerEncoder`, trained",
}
WORKS = ("Dyck-1", "MAJORITY", "exactly two 1s")
SHOWN = 12  # symbols of a longer string


def side_by_side() -> dict[tuple[str, str], dict]:
    """What was found, by the work and who did it."""
    results = stored("what_else").by("work", "peer")
    return {both: results[both] for both in product(WORKS, NAMES) if both in results}


def strings(result: dict) -> int:
    """How many strings were decided."""
    return 2 ** (len(result["judged"]["wrong"]) + 1) - 2


def speed(result: dict) -> float:
    """Strings a second of one processor, at the better time."""
    return strings(result) / min(result["judged"]["seconds"])


def order(x: float) -> str:
    """A positive number to its order: one significant digit."""
    return f"{round(x, -int(log10(x))):,.0f}" if x >= 1 else f"{x:.1g}"


def ratios(of: str, to: str, value: str) -> str:
    """The least and the largest ratio of two peers' values over the works, to their orders."""
    found = side_by_side()

    def numbers(peer: str, work: str) -> float:
        result = found[work, peer]
        return {
            "speed": speed(result),
            "numbers": result["numbers"][0],
            "nonzero": result["numbers"][1],
            "time": min(result["made in"]),
        }[value]

    ends = sorted(numbers(of, work) / numbers(to, work) for work in WORKS)
    return " to ".join(dict.fromkeys(map(order, (ends[0], ends[-1]))))


def rows() -> Iterator[tuple]:
    """Every string to twelve symbols: a line for each work and peer."""
    for (work, peer), result in side_by_side().items():
        numbers, nonzero = result["numbers"]
        first = result["judged"]["first"]
        yield (
            work,
            NAMES[peer],
            f"{numbers:,} ({nonzero:,})",
            order(min(result["made in"])),
            order(speed(result)),
            f"{sum(result['judged']['wrong']):,}",
            f"`{first}`" if first else "–",
        )


def longer_rows() -> Iterator[tuple]:
    """To which length no string was decided wrongly, and what then, of each work and peer."""
    for (work, peer), result in side_by_side().items():
        beyond, judged = result["beyond"], result["judged"]
        last, then = beyond["to"], "–"
        if w := judged["first"] or beyond.get("wrong"):
            last = len(w) - 1 if judged["first"] else last
            then = f"wrong on {len(w)} symbols: `{w[:SHOWN]}{'…' if len(w) > SHOWN else ''}`"
        elif "refused" in beyond:
            then = f"refused: *{beyond['refused'].split('] ')[-1]}*"
        yield work, NAMES[peer], last, f"{beyond['strings']:,}", then
