import TestDoubles
import Testing

@testable import Messaging

@Suite("What FCM's library in the app is told of a message")
struct IdentityTests {
    @Test("is the message's id and its sender's number, after a restart too")
    func restart() async throws {
        let bench = try Bench()
        var multicast = Multicast.sample(tokens: ["phone"])
        multicast.draft.senderID = "123456789012"
        let delivery = try await bench.outbox.accept(multicast)
        let next = try Bench(on: bench)
        try await next.running { try await next.settled(delivery) }
        #expect(
            next.transport.sent.map(\.message.identity)
                == [FCMIdentity(messageID: delivery.messageID, senderID: "123456789012")])
    }

    @Test("is nothing when the message did not come through FCM's API")
    func none() async throws {
        let bench = try Bench()
        try await bench.running { try await bench.settled(bench.outbox.accept(.sample(tokens: ["phone"]))) }
        #expect(bench.transport.sent.map(\.message.identity) == [nil])
    }

    @Test("names the registration's document as the installation")
    func installation() async throws {
        let bench = try Bench()
        let target = try await bench.register("fid-1", token: "phone")
        let id = NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0)
        #expect(OutgoingNotification(id: id, target: target).installationID == "fid-1")
        let bare = Target(address: target.address, registration: nil)
        #expect(OutgoingNotification(id: id, target: bare).installationID == nil)
    }
}
