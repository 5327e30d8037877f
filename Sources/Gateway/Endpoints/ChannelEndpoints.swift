import DocumentStore
import HTTPTypes
import Hummingbird
import JSON
import Messaging
import RequestRules
import Server

/// The endpoints for the broadcast channels of Live Activities. They require the admin token.
///
/// - `GET /v1/channels?limit=&after=` lists the channels with their cards, and the use of each app:
///   `{"maximum", "apps", "channels", "next"?}`.
/// - `GET /v1/channels/unknown?bundle_id=&environment=` asks Apple, and lists the channels that no card has:
///   `{"channels"}`.
/// - `POST /v1/channels/delete` with `{"channel", "bundle_id"?, "environment"?}` deletes one, or ends its card. The
///   response is `{"result": "deleted" | "ended"}`.
struct ChannelEndpoints: Sendable {
    private static let limits = 1...1_000
    private static let members: Set<String> = ["channel", "bundle_id", "environment"]

    let channels: CardChannels
    let store: any DocumentStore
    /// The number of channels that an app may have.
    let maximum: Int

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/channels") { request, _ in
            let query = request.uri.queryParameters
            let limit = try query.integer("limit", in: Self.limits) ?? Self.limits.upperBound
            let part = try await channels.list(after: query["after"].map { String($0) }, limit: limit)
            let names = try await CardName.names(of: part.channels.compactMap(\.card), in: store)
            let usage = try await channels.usage()
            var body: JSONObject = [
                "maximum": .integer(Int64(maximum)), "apps": .array(usage.map(\.json)),
                "channels": .array(part.channels.map { $0.json(named: names) }),
            ]
            body["next"] = part.next.map(JSONValue.string)
            return Response(json: .object(body))
        }
        router.get("/v1/channels/unknown") { request, _ in
            let query = request.uri.queryParameters
            let app = AppIdentity(
                bundleID: query["bundle_id"].map { String($0) }, environment: query["environment"].map { String($0) })
            guard let unknown = try await Self.asking({ try await channels.unknown(of: app) }) else {
                throw Self.noChannels
            }
            let ids = unknown.map(\.rawValue).sorted()
            return Response(json: ["channels": .array(ids.map(JSONValue.string))])
        }
        router.post("/v1/channels/delete") { request, _ in
            let (channel, app) = try Self.order(try await request.jsonBody())
            guard let result = try await Self.asking({ try await channels.delete(channel, of: app) }) else {
                throw Self.noChannels
            }
            return Response(json: ["result": .string(result.rawValue)])
        }
    }

    private static let noChannels = APIError.notFound(
        "no push service here has channels for this app: it needs apns.keyPath, and an app of the configuration")

    private static func order(_ body: JSONValue) throws(APIError) -> (channel: ChannelID, app: AppIdentity) {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { !members.contains($0) }) {
            throw .invalidArgument("“\(unknown)” is not a member; the members are channel, bundle_id and environment")
        }
        let channel = ChannelID(rawValue: body["channel"]?.string ?? "")
        guard channel.isPlausible else {
            throw .invalidArgument("channel must be Apple's id of a channel; “pushgate channels list” shows the ids")
        }
        return (
            channel,
            AppIdentity(bundleID: body["bundle_id"]?.string, environment: body["environment"]?.string)
        )
    }

    /// Asks Apple, with errors for clients.
    private static func asking<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as ChannelError {
            throw APIError(error)
        }
    }
}

extension APIError {
    fileprivate init(_ error: ChannelError) {
        switch error.kind {
        case .unknownChannel: self = .notFound("Apple knows no such channel of this app: \(error.reason)")
        case .unavailable:
            self.init(
                status: .serviceUnavailable, name: "UNAVAILABLE",
                message: "Apple has no answer: \(error.reason). Try again")
            headers[.retryAfter] = "30"
        case .limitReached, .featureOff, .wrongApp, .refused, .invalidRequest:
            self = .invalidArgument("Apple refuses the request: \(error.reason) (\(error.kind.rawValue))")
        }
    }
}

extension CardChannels.Usage {
    fileprivate var json: JSONValue {
        var object = app.json
        object["channels"] = .integer(Int64(channels))
        object["others"] = .integer(Int64(others))
        return .object(object)
    }
}

extension CardChannels.Listed {
    fileprivate func json(named names: [String: CardName]) -> JSONValue {
        var object = app.json
        object["channel"] = channel.map { .string($0.rawValue) }
        object["state"] = .string(state)
        object["card"] = card.map(JSONValue.string)
        let name = card.flatMap { names[$0] }
        object["source"] = name.map { .string($0.source) }
        object["title"] = name.map { .string($0.title) }
        object["created_at"] = .string(createdAt.description)
        object["due_at"] = .string(dueAt.description)
        return .object(object)
    }
}

extension AppIdentity {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["bundle_id"] = bundleID.map(JSONValue.string)
        object["environment"] = environment.map(JSONValue.string)
        return object
    }
}
