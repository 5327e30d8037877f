"""How fast runs that have finished become notifications, one each."""

import time

from .bench import CWD, KNOWN, REPLY, Bench


class Triggers:
    """Triggers for one device each; they count when the simulator has the notification."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.delivered = bench.compare("triggers delivered, one device each", "GET /healthz")

    def round(self) -> None:
        health = self.bench.health()
        self.bench.simulator.reset()
        startedAt = time.perf_counter()
        answers = self.trigger()
        self.bench.simulator.wait_for(int(answers["requests"]))
        seconds = time.perf_counter() - startedAt
        self.delivered.add(self.bench.simulator.accepted() / seconds, health)
        self.bench.report.note("trigger, delivered, p50", "ms", answers["p50_ms"])
        self.bench.report.note("trigger, delivered, p99", "ms", answers["p99_ms"])
        self.bench.report.note("the gateway's, per trigger", "µs", answers["cost_us"])

    def trigger(self) -> dict[str, float]:
        body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
        return self.bench.load("POST", "/triggerReplyFinished", body=body, m=KNOWN, x='"sent":1')
