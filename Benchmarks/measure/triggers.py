"""The speed of triggers for one device each."""

import time

from .bench import CONNECTIONS, CWD, KNOWN, REPLY, Bench
from .references import References


class Triggers:
    """Triggers for one device each, which count at the arrival of the notification at the simulator."""

    RATE = "triggers delivered, one device each"
    # Enough to keep the references busy for most of a second.
    REFERENCE_COUNT = 8_000

    def __init__(self, bench: Bench):
        self.bench = bench
        self.against_health = None if bench.condition.name else bench.compare(self.RATE, "GET /healthz")
        bench.register(CWD, n=KNOWN, s=60)
        self.deliver()
        # As many requests at once as there are clients, each of which waits for its answer.
        streams = CONNECTIONS // References.CONNECTIONS
        self.references = References(bench, self.RATE, "trigger", self.REFERENCE_COUNT, streams)

    def round(self) -> None:
        rate, answers = self.deliver()
        self.bench.note("trigger, delivered, p50", "ms", answers["p50_ms"])
        self.bench.note("trigger, delivered, p99", "ms", answers["p99_ms"])
        self.bench.note("the gateway's, per trigger", "µs", answers["cost_us"])
        if self.against_health:
            self.against_health.add(rate, self.bench.health())
        self.references.compare(rate)

    def deliver(self) -> tuple[float, dict[str, float]]:
        """Returns the rate of arrivals, and the figures of the answers."""
        self.bench.register_dead(CWD, KNOWN)
        self.bench.simulator.reset()
        startedAt = time.perf_counter()
        answers = self.trigger()
        count = int(answers["requests"])
        self.bench.simulator.wait_for(count)
        seconds = time.perf_counter() - startedAt
        dead = self.bench.condition.dead(count)
        self.bench.simulator.expect(accepted=count - dead, rejected=dead)
        return count / seconds, answers

    def trigger(self) -> dict[str, float]:
        body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
        answer = '"attempted":1' if self.bench.condition.dead_every else '"sent":1'
        return self.bench.load("POST", "/triggerReplyFinished", body=body, n=KNOWN, x=answer)
