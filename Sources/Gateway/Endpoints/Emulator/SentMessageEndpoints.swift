import DocumentStore
import Emulator
import Hummingbird
import JSON
import Messaging
import Server

/// The endpoints for the messages that the emulator was asked to send, including those that reached no device. They
/// require the admin token.
///
/// - `GET /emulator/v1/messages?token=&topic=&after=&limit=&wait_for=N&timeout=SECONDS` lists them, oldest first.
///   `token` takes the value of a response; of `token#…` it takes only the digits.
/// - `DELETE /emulator/v1/messages` removes all of them.
struct SentMessageEndpoints: Sendable {
    private static let maximumLimit = 10_000

    let sent: SentMessages

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/emulator/v1/messages") { request, _ in try await list(request) }
        router.delete("/emulator/v1/messages") { _, _ in
            sent.reset()
            return Response(json: [:])
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let filter = SentMessages.Filter(
            tokenFingerprint: query["token"].map { RegistrationToken.fingerprint(ofShown: String($0)) },
            topic: query["topic"].map(String.init), afterSequence: try query.integer("after", in: 0...Int.max) ?? 0)
        let limit = try query.integer("limit", in: 1...Self.maximumLimit) ?? Self.maximumLimit
        let wait = try EmulatorWait(query)
        let items = await wait.untilShutdown {
            await sent.items(matching: filter, waitingFor: wait.count, atMost: wait.bound, clock: .continuous)
        }
        return Response(
            json: ["timed_out": .bool(items.count < wait.count)], list: "messages", of: Array(items.prefix(limit)),
            \.json)
    }
}

extension SentMessages.Item {
    /// The message for a response. It contains the fingerprint of a real device's token, not the token.
    fileprivate var json: JSONValue {
        var object: JSONObject = ["sequence": .integer(Int64(sequence)), "sent_at": .string(sentAt.description)]
        switch recipient {
        case .token(let token): object["token"] = .string(token.shown)
        case .fid(let fid): object["fid"] = .string(fid)
        case .topic(let topic): object["topic"] = .string(topic)
        case .condition(let text, _): object["condition"] = .string(text)
        }
        switch answer {
        case .accepted(let id): object["id"] = .string(id)
        case .refused(let error): object["error"] = .string(error)
        }
        object["message"] = message.redactedJSON
        return .object(object)
    }
}
