import TestDoubles
import Testing

@testable import Messaging

@Suite("FCM identity of a message")
struct IdentityTests {
    @Test("The FCM identity is the message id and the sender's number, also after a restart")
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

    @Test("A message that did not come through FCM's API has no FCM identity")
    func none() async throws {
        let bench = try Bench()
        try await bench.running { try await bench.settled(bench.outbox.accept(.sample(tokens: ["phone"]))) }
        #expect(bench.transport.sent.map(\.message.identity) == [nil])
    }

    @Test("The installation id is the id of the registration's document")
    func installation() async throws {
        let bench = try Bench()
        let target = try await bench.register("fid-1", token: "phone")
        let id = NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0)
        #expect(OutgoingNotification(id: id, target: target).installationID == "fid-1")
        let bare = Target(address: target.address, registration: nil)
        #expect(OutgoingNotification(id: id, target: bare).installationID == nil)
    }
}
