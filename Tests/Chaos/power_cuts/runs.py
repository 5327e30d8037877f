"""Records programs, cuts the power at random moments, and counts the losses."""

import random
import shutil
from collections import Counter
from pathlib import Path

from measure.tools import ROOT, Failure
from recorded_disk.image import FolderImage
from recorded_disk.recording import Recording
from recorded_disk.records import Kind

from .examination import Loss
from .scenario import Cut, Outcome, Scenario

# The losses of a scenario that are printed, and the power cuts without flushes of which one must lose something.
PRINTED, COUNTER_CHECKS = 3, 10
# The folder for the contents of a disk with a loss.
KEPT = ROOT / ".build" / "power-cuts"


class Run:
    """The power cuts of one scenario."""

    def __init__(self, scenario: Scenario, folder: Path, seed: int) -> None:
        # A path without the verb's name, which is looked for in messages.
        self.scenario, self.folder = scenario, folder / "run"
        self.random = random.Random(f"{seed} {scenario.name}")
        self.outcomes: Counter[Outcome] = Counter()
        self.losses = 0

    def run(self, count: int) -> int:
        """Cuts the power, prints the outcomes, and returns the number of losses."""
        disk = self.folder / "disk"
        disk.mkdir(parents=True)
        self.scenario.prepare(disk)
        self.recording = Recording(self.folder)
        self.scenario.record(self.recording)
        self.recording.finish()
        self.check(count)
        self.report(count)
        self.check_without_flushes()
        shutil.rmtree(self.folder)
        return self.losses

    def check(self, count: int) -> None:
        for moment, image in self.recording.cuts(self.moments(count), self.random):
            cut = self.cut(moment, image)
            try:
                self.outcomes[self.scenario.check(cut)] += 1
            except Loss as loss:
                self.note(moment, image, cut, loss)

    def check_without_flushes(self) -> None:
        """Checks that a program that never flushes would be found out."""
        moments = [self.random.choice(self.marks()) for _ in range(COUNTER_CHECKS)]
        for moment, image in self.recording.cuts(moments, self.random, with_flushes=False):
            try:
                self.scenario.check(self.cut(moment, image))
            except Loss:
                return
        raise Failure(
            f"the power cuts of {self.scenario.name} prove nothing: without all flushes nothing was lost in "
            f"{COUNTER_CHECKS} of them")

    # Moments

    def moments(self, count: int) -> list[int]:
        """Returns moments after a promise, beside a flush or a change of names, and any."""
        end = len(self.recording.records)
        beside = [
            number + self.random.randrange(2) for number, record in enumerate(self.recording.records)
            if record.kind not in (Kind.WRITE, Kind.MARK)]
        kinds = [self.marks(), beside, range(end + 1)]
        return [self.random.choice(kinds[number % len(kinds)]) for number in range(count)]

    def marks(self) -> list[int]:
        """Returns the moments at which something has just been promised."""
        return [number + 1 for number, record in enumerate(self.recording.records) if record.kind == Kind.MARK]

    def cut(self, moment: int, image: FolderImage) -> Cut:
        disk = self.folder / "after"
        shutil.rmtree(disk, ignore_errors=True)
        image.write(disk)
        time = self.recording.records[moment - 1].time if moment else 0
        return Cut(disk, self.recording.marks(moment), time)

    # Results

    def note(self, moment: int, image: FolderImage, cut: Cut, loss: Loss) -> None:
        self.losses += 1
        if self.losses > PRINTED:
            return
        kept = KEPT / f"{self.scenario.name.replace(' ', '-')}-{moment}"
        shutil.rmtree(kept, ignore_errors=True)
        KEPT.mkdir(parents=True, exist_ok=True)
        image.write(kept)
        place = f"after {moment} of {len(self.recording.records)} records" + ", at the end" * cut.is_done
        print(f"{self.scenario.name}: lost {place}, kept in {kept.relative_to(ROOT)}: {loss}", flush=True)

    def report(self, count: int) -> None:
        outcomes = ", ".join(f"{self.outcomes[outcome]:3} {outcome.value}" for outcome in Outcome)
        print(f"power cuts: {self.scenario.name:16} {count:4} moments: {outcomes}, {self.losses:3} lost", flush=True)
