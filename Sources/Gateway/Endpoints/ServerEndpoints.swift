import DocumentStore
import Functions
import Hummingbird
import JSON
import RequestRules
import Server

/// The endpoints for the list of a system's servers. They require the admin token.
///
/// - `GET /v1/servers?limit=&after=` lists servers by their keys, with the operator's decisions.
/// - `PUT /v1/servers/{key}` with `{"access": "allowed" | "denied", "name"?}` decides about one. The response is
///   `{"removed"}`, the number of subscriptions that a denied server lost.
struct ServerEndpoints: Sendable {
    private static let limits = 1...1_000
    private static let members: Set<String> = ["access", "name"]
    private static let longestName = 120

    let list: any ServerList

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/servers") { request, _ in
            let query = request.uri.queryParameters
            let limit = try query.integer("limit", in: Self.limits) ?? 100
            let after = try query["after"].map { try Self.key(String($0)) }
            let servers = try await list.servers(after: after, limit: limit)
            var body: JSONObject = [
                "admitted": .string(list.admittedServers.rawValue), "servers": .array(servers.map(\.json)),
            ]
            body["next"] = servers.count == limit ? servers.last.map { .string($0.key) } : nil
            return Response(json: .object(body))
        }
        router.put("/v1/servers/:key") { request, context in
            let key = try Self.key(try context.parameters.require("key"))
            let (access, name) = try Self.decision(try await request.jsonBody())
            let removed = try await list.setAccess(access, of: key, name: name)
            return Response(json: ["removed": .integer(Int64(removed))])
        }
    }

    private static func key(_ text: String) throws(APIError) -> String {
        guard KnownServer.isKey(text) else {
            throw .invalidArgument(
                "a server's key is the SHA-256 of its secret, 64 hexadecimal digits in lower case; “pushgate enable” "
                    + "prints it")
        }
        return text
    }

    private static func decision(_ body: JSONValue) throws(APIError) -> (ServerAccess, name: String?) {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { !members.contains($0) }) {
            throw .invalidArgument("“\(unknown)” is not a member; the members are access and name")
        }
        guard let access = body["access"]?.string.flatMap(ServerAccess.init) else {
            throw .invalidArgument("access must be allowed or denied")
        }
        guard let value = body["name"] else { return (access, nil) }
        guard let name = value.string, (1...longestName).contains(name.count) else {
            throw .invalidArgument("name must be a text of 1 to \(longestName) characters")
        }
        return (access, name)
    }
}

extension KnownServer {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["key": .string(key)]
        object["access"] = access.map { .string($0.rawValue) }
        object["name"] = name.map(JSONValue.string)
        object["created_at"] = createdAt.map { .string($0.description) }
        object["last_seen_at"] = lastSeenAt.map { .string($0.description) }
        return .object(object)
    }
}
