internal import DocumentStore
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Messaging

/// What became of messages, under the admin token.
///
/// - `GET /v1/deliveries?limit=&before=` the newest messages accepted before a time, with counts
/// - `GET /v1/deliveries/{message}?page=` one, with a page of its notifications
struct DeliveryEndpoints: Sendable {
    private static let defaultLimit = 20
    private static let maximumLimit = 200
    private static let maximumPage = 1_000_000

    let history: DeliveryHistory

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
                throw APIError.invalidArgument("before must be a time as in 2026-01-31T12:00:00Z")
            }
            return time
        }
        let records = try await history.deliveries(before: before ?? .distantFuture, limit: limit)
        return Response(json: ["deliveries": .array(records.map(\.summary))])
    }

    private func delivery(_ message: String, _ request: Request) async throws -> Response {
        let page = try request.uri.queryParameters.integer("page", in: 0...Self.maximumPage) ?? 0
        guard let record = try await history.delivery(of: message, page: page) else {
            throw APIError.notFound("there is no message \(message), or no longer: messages.retention says how long")
        }
        return Response(json: record.json)
    }
}
