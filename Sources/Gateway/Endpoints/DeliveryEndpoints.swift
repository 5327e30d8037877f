import Console
import DocumentStore
import HTTPTypes
import Hummingbird
import JSON
import Messaging
import Server
import ServiceLifecycle

/// The endpoints for the deliveries of messages. They require the admin token; those that read, or a key that opens the
/// deliveries. Such a key sees no id that is a credential.
///
/// - `GET /v1/deliveries?limit=&before=` lists the newest messages accepted before a time, with counts. `next` is the
///   `before` of the next page, if there may be one.
/// - `GET /v1/deliveries?since=&limit=&wait=` is a feed for programs: the messages accepted after the one with the id
///   `since`, the oldest first, a line of JSON each. It waits up to `wait` seconds for the first.
/// - `GET /v1/deliveries/{message}?page=` shows one message, with a page of its notifications, or a scheduled one.
/// - `DELETE /v1/deliveries/{message}` cancels a scheduled message.
/// - `GET /v1/scheduled?limit=&after=&after_id=` lists the scheduled messages, the first due first. `after` and
///   `after_id` are `deliver_at` and `id` of the last message of the page before.
struct DeliveryEndpoints: Sendable {
    private static let defaultLimit = 20
    private static let maximumLimit = 200
    private static let maximumPage = 1_000_000
    private static let longestWait = 30
    private static let pollInterval = Duration.seconds(1)

    let history: DeliveryHistory
    let scheduled: ScheduledMessages
    let explanations: Explanations
    let dispatcher: Dispatcher
    let admin: AdminAuthentication
    /// The collections at the root whose ids are credentials.
    let secretCollections: Set<String>
    let now: @Sendable () -> Timestamp

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/deliveries") { request, _ in
            guard let since = request.uri.queryParameters["since"] else { return try await list(request) }
            return try await feed(since: String(since), request)
        }
        router.get("/v1/deliveries/:message") { request, context in
            try await delivery(try context.parameters.require("message"), request)
        }
        router.delete("/v1/deliveries/:message") { _, context in
            try await cancel(try context.parameters.require("message"))
        }
        router.get("/v1/scheduled") { request, _ in try await scheduledList(request) }
    }

    private func list(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let limit = try query.integer("limit", in: 1...Self.maximumLimit) ?? Self.defaultLimit
        let before = try query.time("before")
        let page = try await history.page(before: before ?? .distantFuture, limit: limit)
        var body: JSONObject = ["deliveries": .array(page.records.map(\.summary))]
        body["next"] = page.next.map { .string($0.description) }
        return Response(json: .object(body))
    }

    private func delivery(_ message: String, _ request: Request) async throws -> Response {
        let page = try request.uri.queryParameters.integer("page", in: 0...Self.maximumPage) ?? 0
        if let record = try await history.delivery(of: message, page: page) {
            return Response(json: .object(json(of: record, for: request)))
        }
        switch try await scheduled.state(of: message) {
        case .waiting(let message)?: return Response(json: message.json)
        case .entered(let id?)?:
            guard let record = try await history.delivery(of: id, page: page) else { break }
            var body = json(of: record, for: request)
            body["scheduled_id"] = .string(message)
            return Response(json: .object(body))
        case .entered(nil)?:
            return Response(
                json: [
                    "id": .string(message), "state": "dropped",
                    "explanation": "Its registration was removed before it was due, so it was not sent.",
                ])
        case nil: break
        }
        throw APIError.notFound(
            "there is no message \(message); settled messages are removed after messages.retention")
    }

    private func json(of record: DeliveryRecord, for request: Request) -> JSONObject {
        let hidden = (try? admin.check(request)) == nil ? secretCollections : []
        return record.jsonObject(explanations, heldUp: dispatcher.heldApps, hiding: hidden, at: now())
    }
}

/// The feed for programs.
extension DeliveryEndpoints {
    /// - Parameter id: The id of the last message that the program has; empty for none.
    private func feed(since id: String, _ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let limit = try query.integer("limit", in: 1...Self.maximumLimit) ?? Self.maximumLimit
        let polls = try query.integer("wait", in: 0...Self.longestWait) ?? 0
        var records = try await history.feed(after: id, at: now(), limit: limit)
        for _ in 0..<polls where records.isEmpty {
            // It ends when the gateway stops, or the client goes.
            guard await sleepUntilShutdown() else { break }
            records = try await history.feed(after: id, at: now(), limit: limit)
        }
        var response = Response(text: records.map { $0.summary.text + "\n" }.joined())
        response.headers[.contentType] = "application/x-ndjson"
        return response
    }

    /// Sleeps between two looks.
    ///
    /// - Returns: `false` if the gateway stops.
    private func sleepUntilShutdown() async -> Bool {
        await cancelWhenGracefulShutdown { (try? await Task.sleep(for: Self.pollInterval)) != nil }
    }
}

/// Scheduled messages.
extension DeliveryEndpoints {
    private func scheduledList(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let limit = try query.integer("limit", in: 1...Self.maximumLimit) ?? Self.defaultLimit
        let (time, id) = (try query.time("after"), query["after_id"].map { String($0) })
        guard id == nil || time != nil else { throw APIError.invalidArgument("after_id needs after, a time") }
        let messages = try await scheduled.waiting(after: time ?? .distantPast, id, limit: limit)
        return Response(json: ["scheduled": .array(messages.map(\.json))])
    }

    private func cancel(_ id: String) async throws -> Response {
        switch try await scheduled.cancel(id) {
        case .cancelled: return Response(json: ["id": .string(id), "state": "cancelled"])
        case .tooLate(let message):
            throw APIError.tooLate(
                message.map { "it was accepted as \($0), and can no longer be cancelled" }
                    ?? "it was due, and was dropped because its registration is gone")
        case .unknown:
            guard try await history.delivery(of: id) == nil else {
                throw APIError.tooLate("the message was accepted; only scheduled messages can be cancelled")
            }
            throw APIError.notFound("there is no scheduled message \(id)")
        }
    }
}

extension APIError {
    fileprivate static func tooLate(_ message: String) -> APIError {
        APIError(status: .conflict, name: "FAILED_PRECONDITION", message: message)
    }
}

extension Parameters {
    /// Returns a parameter that is a time; `nil` if it is missing.
    fileprivate func time(_ name: Substring) throws(APIError) -> Timestamp? {
        guard let text = self[name] else { return nil }
        guard let time = Timestamp(String(text)) else {
            throw .invalidArgument("\(name) must be a time such as 2026-01-31T12:00:00Z")
        }
        return time
    }
}

extension ScheduledMessage {
    /// The message as far as it is known before it is due.
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "state": "scheduled", "source": .string(draft.source),
            "scheduled_at": .string(scheduledAt.description), "deliver_at": .string(deliverAt.description),
        ]
        object["targets"] = targetCount.map { .integer(Int64($0)) }
        object["title"] = draft.message.notification?.title.map(JSONValue.string)
        return .object(object)
    }
}

extension DeliveryRecord {
    /// The message, with the number of its notifications in each state.
    var summary: JSONValue { .object(summaryObject) }

    /// The ``summary`` with a page of notifications.
    ///
    /// - Parameter secrets: The collections at the root whose registrations are left out.
    func jsonObject(
        _ explanations: Explanations, heldUp apps: [HeldApp], hiding secrets: Set<String>, at now: Timestamp
    ) -> JSONObject {
        var object = summaryObject
        object["notifications"] = .array(
            notifications.map { $0.json(explanations, heldUp: apps, hiding: secrets, at: now) })
        object["next_page"] = nextPage.map { .integer(Int64($0)) }
        return object
    }

    private var summaryObject: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "source": .string(source), "accepted_at": .string(acceptedAt.description),
            "expires_at": .string(expiresAt.description), "targets": .integer(Int64(targets)),
            "accepted": .integer(Int64(accepted)), "pending": .integer(Int64(pending)),
        ]
        if superseded > 0 { object["superseded"] = .integer(Int64(superseded)) }
        object["receipts"] = receipts.map { counts -> JSONValue in
            ["delivered": .integer(Int64(counts.delivered)), "opened": .integer(Int64(counts.opened))]
        }
        if isExpanding { object["expanding"] = true }
        object["title"] = message.notification?.title.map(JSONValue.string)
        let rejected = rejected.sorted { $0.key.rawValue < $1.key.rawValue }
        object["rejected"] = .object(
            JSONObject(rejected.map { ("messaging/\($0.key.rawValue)", .integer(Int64($0.value))) }))
        return object
    }
}

extension NotificationRecord {
    fileprivate func json(
        _ explanations: Explanations, heldUp apps: [HeldApp], hiding secrets: Set<String>, at now: Timestamp
    ) -> JSONValue {
        var object: JSONObject = ["apns_id": .string(id.description), "transport": .string(lane.transport.rawValue)]
        object["topic"] = lane.app.bundleID.map(JSONValue.string)
        object["environment"] = lane.app.environment.map(JSONValue.string)
        if let registration, !registration.isBelow(anyOf: secrets) {
            object["registration"] = .string(registration.description)
        }
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
