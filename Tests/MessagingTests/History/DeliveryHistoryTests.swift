import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("The history of deliveries")
struct DeliveryHistoryTests {
    @Test("has every target of every chunk, with the failures before the end and the id it was sent under")
    func record() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                switch sent.token {
                case "gone": .dead
                case "slow": sent.attempt == 1 ? .busy : .accepted
                default: .accepted
                }
            })
        let history = DeliveryHistory(store: bench.store)
        #expect(try await history.delivery(of: "none")?.id == nil)
        let phone = try await bench.register("phone", token: "slow")
        let other = Multicast.sample(tokens: ["gone"], topic: "other").targets
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample([phone] + other))
            try await eventually("it settles", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.isSettled(delivery.messageID)
            }
            let record = try #require(try await history.delivery(of: delivery.messageID))
            #expect(record.acceptedAt == ManualClock.start)
            #expect(record.accepted == 1)
            #expect(record.pending == 0)
            #expect(record.rejected == [.registrationTokenNotRegistered: 1])
            #expect(record.notifications.map(\.registration) == [phone.registration, nil])
            #expect(record.notifications.map(\.lane.topic) == [nil, "other"])
            #expect(record.notifications.map { $0.failures.map(\.reason) } == [["ServiceUnavailable"], []])
            #expect(Set(record.notifications.map(\.id)) == Set(bench.transport.sent.map(\.id)))
            #expect(record.notifications.allSatisfy { $0.settledAt != nil })
        }
    }

    @Test("says when what is pending is due, and lists what others have not written")
    func pending() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy })
        let history = DeliveryHistory(store: bench.store)
        let foreign = try DocumentPath("rooms/1/messages/2")
        let early = Value.timestamp(ManualClock.start.adding(.seconds(-1)))
        _ = try await bench.disk.documents.commit([.set(foreign, ["acceptedAt": early])])
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await eventually("the attempt is stored") {
                try await bench.chunk(delivery.messageID)["attempts"] == .integer(1)
            }
            let records = try await history.deliveries(limit: 10)
            #expect(records.map(\.id) == [delivery.messageID])
            let dueAt = bench.clock.timestamp.adding(.seconds(2))
            #expect(records.first?.notifications.map(\.state) == [.pending(dueAt: dueAt)])
            #expect(try await history.deliveries(before: ManualClock.start, limit: 10).isEmpty)
        }
    }
}
