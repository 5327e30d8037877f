import SimulatorTools
import Testing

@testable import APNsSimulator

@Suite("Log of received notifications")
struct NotificationLogTests {
    private func log(limit: Int = 1000, payloadBytes: Int = 1_000_000) -> NotificationLog {
        NotificationLog(limits: .init(notifications: limit, payloadBytes: payloadBytes))
    }

    private func page(
        _ log: NotificationLog, _ filter: NotificationFilter = .all
    ) -> ReceivedPage<ReceivedNotification> {
        log.page(matching: filter, offset: 0, limit: .max)
    }

    @Test("Notifications are numbered, and counted by status and reason")
    func counting() {
        var log = log()
        for rejection: APNsRejection? in [nil, .unregistered, .badTopic, .unregistered] {
            _ = log.append(.sample(rejection: rejection))
        }
        #expect(page(log).entries.map(\.number) == [1, 2, 3, 4])
        #expect(log.counters.requests == 4)
        #expect(log.counters.accepted == 1)
        #expect(log.counters.rejected == 3)
        #expect(log.counters.requestsByStatus == [200: 1, 410: 2, 400: 1])
        #expect(log.counters.requestsByReason == ["Unregistered": 2, "BadTopic": 1])
    }

    @Test("An apns-id accepted twice counts as a duplicate, and a retry after a refusal does not")
    func duplicates() {
        var log = log()
        _ = log.append(.sample(apnsID: "1", rejection: .serviceUnavailable))
        _ = log.append(.sample(apnsID: "1"))
        #expect(log.counters.duplicates == 0)
        _ = log.append(.sample(apnsID: "1"))
        _ = log.append(.sample(token: "cd", apnsID: "2"))
        #expect(log.counters.duplicates == 1)
        #expect(log.counters.distinctTokens == 2)
    }

    @Test("Above the limit the oldest notification is forgotten, and the counts go on")
    func limit() {
        var log = log(limit: 3)
        for _ in 0..<5 { _ = log.append(.sample()) }
        #expect(page(log).entries.map(\.number) == [3, 4, 5])
        #expect(page(log).total == 5)
        #expect(log.counters.forgotten == 2)
        #expect(log.count(matching: .all) == 5)
        #expect(log.count(matching: NotificationFilter(token: "ab")) == 3)
    }

    @Test("Above the limit of payload bytes the oldest notifications are forgotten")
    func payloadLimit() {
        var log = log(payloadBytes: 25)
        for _ in 0..<5 { _ = log.append(.sample(body: "0123456789")) }
        #expect(page(log).entries.map(\.number) == [4, 5])
        #expect(log.counters.forgotten == 3)
    }

    @Test("A reset of the notification log clears everything except the number of open connections")
    func reset() {
        var log = log()
        log.count { $0.connectionsOpen = 2 }
        _ = log.append(.sample(apnsID: "1"))
        log.reset()
        #expect(log.counters.connectionsOpen == 2)
        #expect(log.counters.requests == 0)
        #expect(page(log).entries.isEmpty)
        _ = log.append(.sample(apnsID: "1"))
        #expect(log.counters.duplicates == 0)
        #expect(page(log).entries.map(\.number) == [1])
    }

    @Test("A page of the notification log is a part of the matching notifications, oldest first")
    func pages() {
        var log = log()
        for token in ["ab", "cd", "ab", "ab"] { _ = log.append(.sample(token: token)) }
        let page = log.page(matching: NotificationFilter(token: "AB"), offset: 1, limit: 1)
        #expect(page.total == 3)
        #expect(page.entries.map(\.number) == [3])
        #expect(log.page(matching: .all, offset: 9, limit: 9).entries.isEmpty)
    }
}
