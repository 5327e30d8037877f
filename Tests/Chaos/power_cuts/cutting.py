"""Power cuts of a gateway and of the verbs that change files."""

from pathlib import Path

from chaos.own_tests import run_tests
from measure.tools import Failure
from recorded_disk.recording import compile_recorder

from .examination import Examiner
from .runs import Run
from .scenario import Scenario
from .serving import Serving
from .stock import Stock
from .verbs import VERBS

TESTS = ["recorded_disk.test_disk", "recorded_disk.test_recorder", "power_cuts.test_runs"]
NAMES = [Serving.name, *(verb.name for verb in VERBS)]


def cut_power(pushgate: Path, folder: Path, moments: int, names: list[str], seed: int) -> None:
    """Cuts the power at random moments of these scenarios. A loss is a failure."""
    compile_recorder()
    run_tests(TESTS)
    with Examiner(pushgate, folder) as examiner:
        stock = Stock(examiner, folder / "stock")
        if names != [Serving.name]:
            stock.make()
        shares = share(moments, names)
        scenarios: list[Scenario] = [Serving(examiner, shares.get(Serving.name, 0)), *(verb(stock) for verb in VERBS)]
        lost = {
            scenario.name: Run(scenario, folder, seed).run(shares[scenario.name])
            for scenario in scenarios if scenario.name in names}
    if any(lost.values()):
        counts = ", ".join(f"{name} {count}" for name, count in lost.items() if count)
        total = sum(shares[name] for name in names)
        raise Failure(f"{sum(lost.values())} of {total} power cuts lost something ({counts}); the seed is {seed}")


def share(moments: int, names: list[str]) -> dict[str, int]:
    """Returns the moments of each scenario: a tenth for each verb, and the others for the gateway."""
    each = moments // len(names) if Serving.name not in names else max(1, moments // 10)
    shares = {name: each for name in names}
    rest = moments - each * len(names)
    return shares | {names[0]: max(1, each + rest)}
