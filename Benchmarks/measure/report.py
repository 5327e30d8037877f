"""Figures and their output."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

METHOD = "median of the rounds; a ratio is taken within each round, then its median (lowest–highest)"


@dataclass
class Comparison:
    """A rate against another one that was measured in the same rounds."""

    name: str
    reference: str
    aim: float | None = None
    rounds: list[tuple[float, float]] = field(default_factory=list)

    def add(self, rate: float, reference: float) -> None:
        self.rounds.append((rate, reference))

    @property
    def ratios(self) -> list[float]:
        return sorted(rate / reference for rate, reference in self.rounds)

    @property
    def verdict(self) -> str:
        if self.aim is None:
            return ""
        return "met" if median(self.ratios) >= self.aim else "below"

    @property
    def row(self) -> list[str]:
        rate, reference = (median(values) for values in zip(*self.rounds))
        aim = "" if self.aim is None else f"≥ {self.aim:g}"
        return [
            self.name, f"{rate:,.0f}/s", self.reference, f"{reference:,.0f}/s", spread(self.ratios), aim, self.verdict]

    @property
    def json(self) -> dict[str, Any]:
        return {
            "name": self.name, "reference": self.reference, "aim": self.aim, "ratio": median(self.ratios),
            "lowest": self.ratios[0], "highest": self.ratios[-1], "verdict": self.verdict or None,
            "rounds": [{"rate": rate, "reference": reference} for rate, reference in self.rounds],
        }


@dataclass
class Report:
    machine: dict[str, Any]
    comparisons: list[Comparison] = field(default_factory=list)
    notes: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    memory: dict[str, dict[str, float]] = field(default_factory=dict)

    def note(self, name: str, unit: str, value: float) -> None:
        """Adds a value to a figure beside the rates, whose median is shown."""
        self.notes.setdefault((name, unit), []).append(value)

    def print(self) -> None:
        print("\n" + ", ".join(f"{name} {value}" for name, value in self.machine.items()))
        print(METHOD + "\n")
        heads = ["rate", "", "reference", "", "ratio", "aim", ""]
        print_table([heads, *(comparison.row for comparison in self.comparisons)], right={1, 3})
        print()
        for heading, wanted in (("latency", "ms"), ("processor time", "µs")):
            notes = sorted((name, median(values)) for (name, unit), values in self.notes.items() if unit == wanted)
            if notes:
                print_table([[heading, ""], *([name, f"{value:,.1f} {wanted}"] for name, value in notes)], right={1})
                print()
        sizes = [[when, *(f"{size:.0f} MiB" for size in memory.values())] for when, memory in self.memory.items()]
        if sizes:
            print_table([["gateway's memory", "VmRSS", "VmHWM", "RssAnon"], *sizes], right={1, 2, 3})

    def save(self, path: Path) -> None:
        content = {
            "machine": self.machine, "comparisons": [comparison.json for comparison in self.comparisons],
            "notes": [{"name": name, "unit": unit, "values": values} for (name, unit), values in self.notes.items()],
            "memory_mib": self.memory,
        }
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


@dataclass
class Figure:
    """A figure with a lower or an upper limit."""

    name: str
    unit: str
    aim: float
    is_at_most: bool = False
    values: list[float] = field(default_factory=list)

    @property
    def row(self) -> list[str]:
        value = median(self.values)
        is_met = value <= self.aim if self.is_at_most else value >= self.aim
        low, high = min(self.values), max(self.values)
        return [
            self.name, f"{value:,.4g} {self.unit}" if value < 100 else f"{value:,.0f} {self.unit}",
            f"{low:,.4g}–{high:,.4g}" if high < 100 else f"{low:,.0f}–{high:,.0f}",
            f"{'≤' if self.is_at_most else '≥'} {self.aim:,.10g}", "met" if is_met else "missed",
        ]


def print_figures(figures: Sequence[Figure]) -> None:
    print()
    print_table([["", "median", "lowest–highest", "aim", ""], *(figure.row for figure in figures)], right={1, 2, 3})


def spread(values: Sequence[float]) -> str:
    return f"{median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def print_table(rows: list[list[str]], right: set[int]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for index, row in enumerate(rows):
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        print("  ".join(cells).rstrip())
        if index == 0:
            print("─" * (sum(widths) + 2 * (len(widths) - 1)))
