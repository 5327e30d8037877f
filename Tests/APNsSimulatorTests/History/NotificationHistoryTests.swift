import SimulatorTools
import TestDoubles
import Testing

@testable import APNsSimulator

@Suite("Waits for notifications")
struct NotificationHistoryTests {
    let history = NotificationHistory(limits: .init(notifications: 100, payloadBytes: 100_000))
    let notices = Tally()

    private func wait(for count: Int, _ filter: NotificationFilter = .all) -> Int? {
        history.whenReceived(count, matching: filter) { [notices] in notices.add() }
    }

    @Test("A wait for notifications ends once, when enough matching ones arrived")
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

    @Test("A wait for notifications that are already there ends at once")
    func atOnce() {
        history.record(.sample())
        #expect(wait(for: 1) == nil)
        #expect(wait(for: 0) == nil)
        #expect(notices.count == 2)
    }

    @Test("A wait for notifications that was given up is not notified later")
    func givenUp() throws {
        let id = try #require(wait(for: 1))
        #expect(history.giveUp(id))
        history.record(.sample())
        #expect(notices.count == 0)
        #expect(!history.giveUp(id))
    }

    @Test("A reset of the history restarts the count of notifications, for open waits too")
    func reset() {
        #expect(wait(for: 2) != nil)
        history.record(.sample())
        history.reset()
        history.record(.sample())
        #expect(notices.count == 0)
        history.record(.sample())
        #expect(notices.count == 1)
    }

    @Test("A waiting task resumes when enough notifications arrived, or when it is cancelled")
    func tasks() async {
        async let isReached = history.wait(for: 1, matching: .all)
        history.record(.sample())
        #expect(await isReached)

        let cancelled = Task { [history] in await history.wait(for: 2, matching: .all) }
        cancelled.cancel()
        #expect(await cancelled.value == false)
        history.record(.sample())
        history.record(.sample())
    }
}
