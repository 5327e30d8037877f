import Console
import DocumentStore
import Functions
import Hummingbird
import JSON
import Messaging
import RequestRules
import Server
import Settings

/// The endpoint `POST /v1/deliveries`, which sends a message to one device. It requires the admin token.
///
/// The body is `{"to", "title"?, "body"?, "data"?, "bundle_id"?, "environment"?, "deliver_at"?, "deliver_in"?}`;
/// ``DirectMessage`` has their meanings. The response is `{"id"}`, and `GET /v1/deliveries/{id}` has the outcome.
struct SendEndpoint: Sendable {
    private static let members: Set<String> = [
        "to", "title", "body", "data", "bundle_id", "environment", "deliver_at", "deliver_in",
    ]

    let sender: DirectSender
    let idempotency: IdempotentRequests

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.post("/v1/deliveries") { request, _ in
            let (json, bytes) = try await request.jsonBodyWithBytes()
            let message = try Self.message(json)
            guard let idempotent = try request.idempotent(at: "deliveries", of: DirectSender.source, body: bytes) else {
                return Response(json: ["id": .string(try await sender.send(message))])
            }
            return try await idempotency.response(to: idempotent) { acceptance in
                ["id": .string(acceptance.messageID ?? "")]
            } work: { companion in
                ["id": .string(try await sender.send(message, with: companion))]
            }
        }
    }

    private static func message(_ body: JSONValue) throws(APIError) -> DirectMessage {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { !members.contains($0) }) {
            throw .invalidArgument(
                "“\(unknown)” is not a member of a message; the members are to, title, body, data, bundle_id, "
                    + "environment, deliver_at and deliver_in")
        }
        guard let to = try text("to", of: body) else {
            throw .invalidArgument("“to” is missing: give the path of a registration, or a token")
        }
        return DirectMessage(
            to: to, title: try text("title", of: body), body: try text("body", of: body), data: try data(of: body),
            app: AppIdentity(
                bundleID: try text("bundle_id", of: body), environment: try text("environment", of: body)),
            at: try time(of: body))
    }

    private static func time(of body: JSONValue) throws(APIError) -> DirectMessage.Time? {
        switch (try text("deliver_at", of: body), try text("deliver_in", of: body)) {
        case (nil, nil): return nil
        case (let text?, nil):
            guard let time = Timestamp(text) else {
                throw .invalidArgument("deliver_at must be a time such as 2026-01-31T12:00:00Z")
            }
            return .at(time)
        case (nil, let text?):
            guard let delay = DurationText.duration(of: text), delay > .zero else {
                throw .invalidArgument("deliver_in must be a duration such as 20m, 90s, 3h or 2d")
            }
            return .after(delay)
        case (_?, _?): throw .invalidArgument("give deliver_at or deliver_in, not both")
        }
    }

    private static func data(of body: JSONValue) throws(APIError) -> [String: String] {
        guard let value = body["data"] else { return [:] }
        let members = value.object?.members.map { ($0.name, $0.value.string) }
        guard let members, members.allSatisfy({ $0.1 != nil }) else {
            throw .invalidArgument("data must be an object of texts")
        }
        return Dictionary(members.map { ($0.0, $0.1 ?? "") }) { $1 }
    }

    private static func text(_ name: String, of body: JSONValue) throws(APIError) -> String? {
        guard let value = body[name] else { return nil }
        guard let text = value.string, !text.isEmpty else {
            throw .invalidArgument("\(name) must be a text that is not empty")
        }
        return text
    }
}
