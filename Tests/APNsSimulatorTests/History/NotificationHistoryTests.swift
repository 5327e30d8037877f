import Synchronization
import Testing

@testable import APNsSimulator

@Suite("Waiting for notifications")
struct NotificationHistoryTests {
    let history = NotificationHistory(limits: .init(notifications: 100, payloadBytes: 100_000))
    let notices = Notices()

    final class Notices: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
        func add() { value.add(1, ordering: .relaxed) }
    }

    private func wait(for count: Int, _ filter: NotificationFilter = .all) -> Int? {
        history.whenReceived(count, matching: filter) { [notices] in notices.add() }
    }

    @Test("Who waits is told once, when enough that match have come")
    func notified() {
        #expect(wait(for: 2, NotificationFilter(token: "ab")) != nil)
        history.record(.sample(token: "ab"))
        history.record(.sample(token: "cd"))
        #expect(notices.count == 0)
        history.record(.sample(token: "ab"))
        #expect(notices.count == 1)
        history.record(.sample(token: "ab"))
        #expect(notices.count == 1)
    }

    @Test("Who waits for what is there is told at once")
    func atOnce() {
        history.record(.sample())
        #expect(wait(for: 1) == nil)
        #expect(wait(for: 0) == nil)
        #expect(notices.count == 2)
    }

    @Test("Who has given up is not told")
    func givenUp() throws {
        let id = try #require(wait(for: 1))
        #expect(history.giveUp(id))
        history.record(.sample())
        #expect(notices.count == 0)
        #expect(!history.giveUp(id))
    }

    @Test("After a reset the count begins anew, for those who wait as well")
    func reset() {
        #expect(wait(for: 2) != nil)
        history.record(.sample())
        history.reset()
        history.record(.sample())
        #expect(notices.count == 0)
        history.record(.sample())
        #expect(notices.count == 1)
    }

    @Test("A task that waits goes on when enough have come, and when it is cancelled")
    func tasks() async {
        let wait = NotificationWait(history)
        async let isReached = wait.reached(1, matching: .all)
        history.record(.sample())
        #expect(await isReached)

        let cancelled = Task { [history] in await NotificationWait(history).reached(2, matching: .all) }
        cancelled.cancel()
        #expect(await cancelled.value == false)
        history.record(.sample())
        history.record(.sample())
    }
}
