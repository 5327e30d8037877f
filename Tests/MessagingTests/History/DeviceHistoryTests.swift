import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The history of a device")
struct DeviceHistoryTests {
    @Test("The newest notifications of a device are found among those to others, with their states")
    func newest() async throws {
        let bench = try Bench(ScriptedTransport { sent in sent.token == "gone" ? .refused : .accepted })
        let history = DeliveryHistory(store: bench.store)
        let (phone, other) = (
            try await bench.register("phone", token: "gone"), try await bench.register("other", token: "o")
        )
        try await bench.running {
            var ids: [String] = []
            for targets in [[phone], [other], [other, phone]] {
                let delivery = try await bench.outbox.accept(.sample(targets))
                try await bench.settled(delivery)
                ids.append(delivery.messageID)
                bench.clock.advance(by: .seconds(1))
            }
            let found = try await history.notifications(limit: 10) { $0 == phone.registration }
            #expect(found.entries.map(\.messageID) == [ids[2], ids[0]])
            #expect(found.entries.allSatisfy { $0.notification.registration == phone.registration })
            #expect(
                found.entries.map(\.notification.state)
                    == Array(repeating: .rejected(.invalidArgument, reason: "BadTopic"), count: 2))
            #expect(found.messages == 3 && found.isComplete && found.oldest == ManualClock.start)
            #expect(found.entries.allSatisfy { $0.title != nil && $0.source == "test" })
            let one = try await history.notifications(limit: 1) { $0 == phone.registration }
            #expect(one.entries.map(\.messageID) == [ids[2]] && !one.isComplete)
            #expect(try await history.notifications(limit: 1) { _ in false }.isComplete)
        }
    }

    @Test("A search ends at its bound, and says how far it came")
    func bound() async throws {
        let bench = try Bench()
        let history = DeliveryHistory(store: bench.store)
        let phone = try await bench.register("phone", token: "p")
        let first = try await bench.outbox.accept(.sample([phone]))
        for number in 0..<520 {
            bench.clock.advance(by: .seconds(1))
            _ = try await bench.outbox.accept(.sample(tokens: ["\(number)"]))
        }
        let found = try await history.notifications(limit: 1) { $0 == phone.registration }
        #expect(found.entries.isEmpty && !found.isComplete)
        #expect(found.messages == 500 && (found.oldest ?? .distantPast) > ManualClock.start)
        #expect(try await history.delivery(of: first.messageID) != nil)
    }
}
