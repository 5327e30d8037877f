import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Queues on disk")
struct QueueKeyTests {
    private static let lanes = [
        Lane(transport: .apns), Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app")),
        Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app", environment: "sandbox")),
        Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app", environment: "production")),
        Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app", environment: "é /2")),
        Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app2")),
        Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app-2")),
        Lane(transport: .apns, app: AppIdentity(bundleID: "a b/c%20d!~é\u{0}")), Lane(transport: .emulated),
        Lane(transport: TransportName(rawValue: "web push")),
    ]

    @Test("A lane's key contains the whole lane and no space", arguments: lanes)
    func keys(lane: Lane) {
        #expect(Lane(key: lane.key[...]) == lane)
        #expect(!lane.key.contains(" "))
    }

    @Test("A lane's key has transport, topic and environment, as earlier versions wrote them")
    func form() {
        #expect(Self.lanes.prefix(3).map(\.key) == ["apns//", "apns/com.example.app/", "apns/com.example.app/sandbox"])
    }

    @Test(
        "A malformed key gives no lane",
        arguments: ["", "apns", "apns/a", "//", "apns/a/%FF", "apns/%4/", "apns/%FF/"])
    func malformed(text: String) {
        #expect(Lane(key: text[...]) == nil)
    }

    @Test("Each lane's queue is ordered by due time, whatever the names of other lanes")
    func order() async throws {
        let bench = try Bench()
        var expected: [Lane: [String]] = [:]
        for (index, lane) in Self.lanes.enumerated() {
            for seconds in [3, 1, 2, 9] {
                let path = try DocumentPath("messages/m\(index)/messages/\(seconds)")
                let place = QueueKey().text(lane, dueAt: ManualClock.start.adding(.seconds(seconds)))
                _ = try await bench.disk.documents.commit([.set(path, ["queue": .string(place)])])
            }
            expected[lane] = ["1", "2", "3"].map { "messages/m\(index)/messages/\($0)" }
        }
        for lane in Self.lanes {
            let query = QueueKey().due(
                in: lane, after: ManualClock.start, by: ManualClock.start.adding(.seconds(5)), limit: 10)
            let found = try await bench.disk.documents.documents(matching: query)
            #expect(found.map(\.path.description) == expected[lane])
            // The query returns no fields, because a queue can have a million targets.
            #expect(found.allSatisfy { $0.fields.isEmpty })
        }
    }
}
