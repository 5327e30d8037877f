import Console
import DocumentStore
import HTTPTypes
import Hummingbird
import JSON
import Messaging
import Server

/// The endpoints for the deliveries of messages. They require the admin token.
///
/// - `GET /v1/deliveries?limit=&before=` lists the newest messages accepted before a time, with counts. `next` is the
///   `before` of the next page, if there may be one.
/// - `GET /v1/deliveries/{message}?page=` shows one message, with a page of its notifications.
struct DeliveryEndpoints: Sendable {
    private static let defaultLimit = 20
    private static let maximumLimit = 200
    private static let maximumPage = 1_000_000

    let history: DeliveryHistory
    let explanations: Explanations
    let dispatcher: Dispatcher

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/deliveries") { request, _ in try await list(request) }
        router.get("/v1/deliveries/:message") { request, context in
            try await delivery(try context.parameters.require("message"), request)
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let limit = try query.integer("limit", in: 1...Self.maximumLimit) ?? Self.defaultLimit
        let before = try query["before"].map { text throws(APIError) in
            guard let time = Timestamp(String(text)) else {
                throw APIError.invalidArgument("before must be a time such as 2026-01-31T12:00:00Z")
            }
            return time
        }
        let page = try await history.page(before: before ?? .distantFuture, limit: limit)
        var body: JSONObject = ["deliveries": .array(page.records.map(\.summary))]
        body["next"] = page.next.map { .string($0.description) }
        return Response(json: .object(body))
    }

    private func delivery(_ message: String, _ request: Request) async throws -> Response {
        let page = try request.uri.queryParameters.integer("page", in: 0...Self.maximumPage) ?? 0
        guard let record = try await history.delivery(of: message, page: page) else {
            throw APIError.notFound(
                "there is no message \(message); settled messages are removed after messages.retention")
        }
        return Response(json: record.json(explanations, heldUp: dispatcher.heldApps))
    }
}

extension DeliveryRecord {
    /// The message, with the number of its notifications in each state.
    var summary: JSONValue { .object(summaryObject) }

    /// The ``summary`` with a page of notifications.
    func json(_ explanations: Explanations, heldUp apps: [HeldApp]) -> JSONValue {
        let now = Timestamp.now
        var object = summaryObject
        object["notifications"] = .array(notifications.map { $0.json(explanations, heldUp: apps, at: now) })
        object["next_page"] = nextPage.map { .integer(Int64($0)) }
        return .object(object)
    }

    private var summaryObject: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "source": .string(source), "accepted_at": .string(acceptedAt.description),
            "expires_at": .string(expiresAt.description), "targets": .integer(Int64(targets)),
            "accepted": .integer(Int64(accepted)), "pending": .integer(Int64(pending)),
        ]
        if superseded > 0 { object["superseded"] = .integer(Int64(superseded)) }
        object["title"] = message.notification?.title.map(JSONValue.string)
        let rejected = rejected.sorted { $0.key.rawValue < $1.key.rawValue }
        object["rejected"] = .object(
            JSONObject(rejected.map { ("messaging/\($0.key.rawValue)", .integer(Int64($0.value))) }))
        return object
    }
}

extension NotificationRecord {
    fileprivate func json(_ explanations: Explanations, heldUp apps: [HeldApp], at now: Timestamp) -> JSONValue {
        var object: JSONObject = ["apns_id": .string(id.description), "transport": .string(lane.transport.rawValue)]
        object["topic"] = lane.app.bundleID.map(JSONValue.string)
        object["environment"] = lane.app.environment.map(JSONValue.string)
        object["registration"] = registration.map { .string($0.description) }
        switch state {
        case .pending(let dueAt):
            object["state"] = "pending"
            object["due_at"] = .string(dueAt.description)
            object["held_up"] = apps.first { $0.holds(lane) }.map(\.json)
        case .accepted:
            object["state"] = "accepted"
        case .superseded:
            object["state"] = "superseded"
        case .rejected(let code, let reason):
            object["state"] = "rejected"
            object["code"] = .string("messaging/\(code.rawValue)")
            object["reason"] = .string(reason)
        }
        object["explanation"] = .string(explanations.meaning(of: self, heldUp: apps, at: now))
        object["settled_at"] = settledAt.map { .string($0.description) }
        if !failures.isEmpty {
            object["failures"] = .array(failures.map { $0.json(explanations, by: lane.transport) })
        }
        return .object(object)
    }
}

extension HeldApp {
    /// The reason for which the notifications of an app wait.
    fileprivate var json: JSONValue {
        [
            "since": .string(since.description), "next_attempt_at": .string(nextAttempt.description),
            "code": .string("messaging/\(failure.code.rawValue)"), "reason": .string(failure.reason),
        ]
    }
}

extension NotificationRecord.Failure {
    fileprivate func json(_ explanations: Explanations, by transport: TransportName) -> JSONValue {
        [
            "at": .string(at.description), "code": .string("messaging/\(code.rawValue)"),
            "reason": .string(reason),
            "explanation": .string(explanations.failure(code, reason: reason, by: transport)),
        ]
    }
}
