import DocumentStore
import TestDoubles

@testable import Messaging

extension Chunk {
    /// Returns a chunk of a message with the collapse id `chat`.
    static func sample(of message: String, to tokens: [String], in lane: Lane = Lane(transport: .apns)) -> Chunk {
        var chunk = Chunk(
            id: ChunkID(message: message, number: 0), isInMessage: true, lane: lane,
            entries: tokens.map { token in
                let address = PushAddress(
                    transport: lane.transport, token: RegistrationToken(token),
                    attributes: AddressAttributes(app: lane.app))
                return Chunk.Entry(target: Target(address: address, registration: nil))
            },
            attempts: 0, dueAt: ManualClock.start)
        chunk.collapseKey = CollapseKey(of: .sample(id: message), in: lane)
        return chunk
    }
}

extension AcceptedMessage {
    /// Returns a message, with a collapse id unless that is `nil`.
    static func sample(
        id: String, body: String = "Sample body", collapseID: String? = "chat", owner: String = "s"
    ) -> AcceptedMessage {
        var headers: [String: String] = [:]
        headers["apns-collapse-id"] = collapseID
        let message = Message(notification: .init(body: body), apns: .init(headers: headers))
        return AcceptedMessage(
            id: id, message: message, source: "test", owner: owner, text: message.jsonText,
            registrationFields: RegistrationFields(token: "token"), acceptedAt: ManualClock.start,
            expiresAt: ManualClock.start.adding(.seconds(60)))
    }
}
