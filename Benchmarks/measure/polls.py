"""Turns: polling the games of 10,000 players at a stand-in for the game site."""

import time
from collections import Counter
from math import floor
from pathlib import Path
from statistics import mean
from typing import Any

from .bench import Bench
from .report import Report, print_table
from .servers import Gateway, PrintingServer, Simulator, ask
from .tools import Failure, Programs, build

PLAYERS = 10_000
INTERVAL = 30
INTERVALS = 2
# The site's time for an answer. With it, 333 requests a second need 17 requests at the same time.
DELAY_MS = 50
AT_ONCE = 64
# The number of players who get their turn in each counted second.
TURNS_PER_SECOND = 5
# The numbers that load/ gives the players.
FIRST_PLAYER = 10_000_000_000


def measure_polls(programs: Programs, folder: Path) -> None:
    program = build("GameSiteServer")
    with Simulator(programs.pushgate, folder / "simulator") as simulator, GameSite(program, folder / "site") as site:
        settings = {
            "PUSHGATE_FUNCTIONS_TURNS_ENABLED": "true", "PUSHGATE_FUNCTIONS_TURNS_SITE": site.url,
            "PUSHGATE_FUNCTIONS_TURNS_INTERVAL": f"{INTERVAL}s",
            "PUSHGATE_FUNCTIONS_TURNS_REQUESTS_AT_ONCE": str(AT_ONCE),
            "PUSHGATE_FUNCTIONS_TURNS_NEW_PLAYERS_PER_HOUR_PER_ADDRESS": "0",
        }
        site.control("/answers", {"delay_ms": DELAY_MS})
        with Gateway(programs.pushgate, folder / "data", simulator.addresses, settings) as gateway:
            register(Bench(programs, gateway, simulator, folder, 0, Report({})))
        # Only polls after a start count: earlier ones follow the times of the registrations.
        site.forget()
        with Gateway(programs.pushgate, folder / "data", simulator.addresses, settings) as gateway:
            Polls(gateway, simulator, site).measure()


def register(bench: Bench) -> None:
    print(f"registering {PLAYERS:,} players …", flush=True)
    body = {"user_id": "1{n}", "device_token": "{hex}"}
    bench.load("POST", "/register", body=body, n=PLAYERS, s=60)


class GameSite(PrintingServer):
    def __init__(self, program: Path, directory: Path):
        super().__init__("game site", program, directory)

    def control(self, path: str, body: Any) -> None:
        ask(self.url, "PUT", "/control" + path, body)

    def forget(self) -> None:
        ask(self.url, "DELETE", "/control/asked")

    def asked(self) -> list[tuple[int, float]]:
        """Returns every request since the last reset: the player, and the time in seconds."""
        return [(player, at) for player, at in ask(self.url, "GET", "/control/asked")]


class Polls:
    def __init__(self, gateway: Gateway, simulator: Simulator, site: GameSite):
        self.gateway, self.simulator, self.site = gateway, simulator, site

    def measure(self) -> None:
        print(f"polling for {INTERVALS * INTERVAL} s …", flush=True)
        self.simulator.reset()
        deadline = time.monotonic() + INTERVAL
        while not self.site.asked():
            if time.monotonic() > deadline:
                raise Failure(f"the gateway polled no player within {INTERVAL} s")
            time.sleep(0.01)
        began = self.gateway.processor_time()
        turns = self.let_turns_come(INTERVALS * INTERVAL)
        time.sleep(1)
        cost = self.gateway.processor_time() - began
        memory = self.gateway.memory()
        asked = self.site.asked()
        self.simulator.wait_for(turns)
        # Another interval, in which no player is notified again.
        time.sleep(INTERVAL)
        self.simulator.expect(accepted=turns, rejected=0)
        self.tell(asked, turns, cost, memory)

    def let_turns_come(self, seconds: int) -> int:
        """Gives the turn to some more players in each second."""
        start = time.monotonic()
        for number in range(seconds * TURNS_PER_SECOND):
            time.sleep(max(0, start + number / TURNS_PER_SECOND - time.monotonic()))
            player = FIRST_PLAYER + number * (PLAYERS // (seconds * TURNS_PER_SECOND))
            game = {"id": number + 1, "name": "a game", "current_player": player, "last_move": int(time.time() * 1e3)}
            self.site.control(f"/games/{player}", [game])
        time.sleep(max(0, start + seconds - time.monotonic()))
        return seconds * TURNS_PER_SECOND

    def tell(self, asked: list[tuple[int, float]], turns: int, cost: float, memory: dict[str, float]) -> None:
        # Polls have a random delay of up to 0.3 s, so the first second has fewer.
        first = min(at for _, at in asked) + 1
        seconds = Counter(floor(at - first) for _, at in asked)
        counts = [seconds[second] for second in range(INTERVALS * INTERVAL)]
        players = Counter(player for player, at in asked if 0 <= at - first < INTERVALS * INTERVAL)
        if len(players) != PLAYERS or set(players.values()) - {INTERVALS - 1, INTERVALS, INTERVALS + 1}:
            raise Failure(f"{len(players)} players were polled, in these numbers: {Counter(players.values())}")
        print_table(
            [
                ["requests a second", "mean", "busiest", "quietest", "busiest ÷ mean"],
                [
                    f"{PLAYERS:,} players every {INTERVAL} s, for {INTERVALS * INTERVAL} s", f"{mean(counts):.1f}",
                    str(max(counts)), str(min(counts)), f"{max(counts) / mean(counts):.3f}",
                ],
            ], right={1, 2, 3, 4})
        print(
            f"\nThe gateway took {cost / (sum(counts) + mean(counts)) * 1e6:.0f} µs of processor time a request, "
            f"{cost / (INTERVALS * INTERVAL + 1) * 100:.1f} % of one processor; "
            f"memory {memory['VmRSS']:.0f} MiB, at most {memory['VmHWM']:.0f} MiB.\n"
            f"{turns} players got their turn, and each was notified once.")
