"""The samples of a gateway's use of memory and other resources, their table, and their slopes."""

import math
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from measure.servers import Gateway, request
from measure.tools import Failure

MEBI = 1 << 20
# The most growth in a long run, in % of the mean an hour, and the seconds of the shortest long run.
MOST_GROWTH, LONG_RUN = 1.0, 3_600
# The fewest complete cycles in the second half of a run for slopes of their means.
FEWEST_CYCLES = 4
METRIC = re.compile(r"^(\w+)(?:\{[^}]*\})? ([-+.\deE]+)$", re.MULTILINE)


class Sample(NamedTuple):
    seconds: float
    anonymous: float
    file_backed: float
    descriptors: int
    threads: int
    database: float
    log: float
    reusable: float
    accepted: int
    notifications: int
    errors: int

    @property
    def used(self) -> float:
        """Returns the bytes of the database's file that documents and indexes use, in MiB.

        The file grows when the log is copied to it, so it can be up to 32 MiB of the log behind.
        """
        return self.database - self.reusable


def take_sample(gateway: Gateway, seconds: float, notifications: int, errors: int) -> Sample:
    status = process_status(gateway)
    metrics = read_metrics(gateway)
    database = gateway.directory / "pushgate.sqlite"
    return Sample(
        seconds, kibibytes(status["RssAnon"]) / 1024, kibibytes(status["RssFile"]) / 1024, gateway.descriptors(),
        int(status["Threads"]), size(database), size(database.with_name(database.name + "-wal")),
        metrics["pushgate_data_reusable_bytes"] / MEBI, round(metrics["pushgate_messages_accepted_total"]),
        notifications, errors)


def process_status(gateway: Gateway) -> dict[str, str]:
    lines = Path(f"/proc/{gateway.process.pid}/status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines)


def kibibytes(field: str) -> int:
    return int(field.split()[0])


def size(file: Path) -> float:
    return file.stat().st_size / MEBI if file.exists() else 0


def read_metrics(gateway: Gateway) -> dict[str, float]:
    """Returns each metric, as the sum over its labels."""
    answer = request(gateway.url, "GET", "/metrics", timeout=30)
    if answer.status != 200:
        raise Failure(f"/metrics was answered {answer.status}: {answer.text}")
    sums: dict[str, float] = defaultdict(float)
    for name, value in METRIC.findall(answer.text):
        sums[name] += float(value)
    return sums


# ---- The table

HEADS = [
    "minute", "RssAnon MiB", "RssFile MiB", "descriptors", "threads", "database MiB", "reusable MiB", "accepted",
    "notifications", "errors",
]


def print_heads() -> None:
    print("\n" + "  ".join(HEADS) + "\n" + "─" * len("  ".join(HEADS)), flush=True)


def print_row(sample: Sample) -> None:
    cells = [
        f"{sample.seconds / 60:.0f}", f"{sample.anonymous:.1f}", f"{sample.file_backed:.1f}", str(sample.descriptors),
        str(sample.threads), f"{sample.database + sample.log:.1f}", f"{sample.reusable:.1f}", f"{sample.accepted:,}",
        f"{sample.notifications:,}", str(sample.errors),
    ]
    print("  ".join(cell.rjust(len(head)) for cell, head in zip(cells, HEADS)), flush=True)


# ---- The slopes

FIGURES = {
    "RssAnon": lambda sample: sample.anonymous, "descriptors": lambda sample: sample.descriptors,
    "threads": lambda sample: sample.threads, "used bytes of the database": lambda sample: sample.used,
}


class Slope(NamedTuple):
    """The growth of a figure in % of its mean an hour, with its standard error."""

    growth: float
    error: float


def slopes(samples: list[Sample], cycle: float) -> dict[str, Slope]:
    """Returns the slopes of the second half.

    The points of a long run are the means of complete cycles. All that repeats in a cycle, as the faults, the backups
    and the sweep of messages, which is every five minutes, is in each of them alike: in single samples the saw-tooth
    of the sweep would be a slope. They also even out the pages that malloc keeps for a while, so that no sample needs
    a quiet moment.
    """
    half = samples[-1].seconds / 2
    first = math.ceil(half / cycle)
    cycles: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        cycles[int(sample.seconds // cycle)].append(sample)
    complete = [cycles[number] for number in range(first, int(samples[-1].seconds // cycle))]
    if len(complete) < FEWEST_CYCLES:
        complete = [[sample] for sample in samples if sample.seconds >= half]
    times = [mean(sample.seconds for sample in group) for group in complete]
    return {
        name: slope(times, [mean(map(figure, group)) for group in complete]) for name, figure in FIGURES.items()}


def slope(times: list[float], values: list[float]) -> Slope:
    """Returns the slope of the line with the least squares."""
    middle, average = mean(times), mean(values)
    spread = sum((at - middle) ** 2 for at in times)
    rise = sum((at - middle) * (value - average) for at, value in zip(times, values)) / spread
    rest = sum((value - average - rise * (at - middle)) ** 2 for at, value in zip(times, values))
    error = math.sqrt(rest / (len(times) - 2) / spread)
    return Slope(*(each * 3_600 * 100 / average if average else 0 for each in (rise, error)))


def print_slopes(found: dict[str, Slope], is_judged: bool) -> None:
    print(f"\nslopes of the second half, in % of the mean an hour; {verdict_rule(is_judged)}")
    for name, slope in found.items():
        mark = "  TOO MUCH" if is_judged and slope.growth >= MOST_GROWTH else ""
        print(f"  {name.ljust(28)}{slope.growth:+9.2f} ± {slope.error:.2f}{mark}")


def verdict_rule(is_judged: bool) -> str:
    return f"each must be below {MOST_GROWTH:g}" if is_judged else "not judged in a run of less than an hour"
