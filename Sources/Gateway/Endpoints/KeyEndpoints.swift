import DocumentStore
import Functions
import Hummingbird
import JSON
import RequestRules
import Server

/// The endpoints for the keys that systems gave to their clients at run time. They require the admin token.
///
/// - `GET /v1/keys/{system}?after=` lists keys: `{"keys", "next"?}`.
/// - `POST /v1/keys/{system}` with `{"name", "scope"}` makes one, for a system whose keys the operator makes. Only this
///   response has its text, in `key`.
/// - `DELETE /v1/keys/{system}/{id}` revokes one.
struct KeyEndpoints: Sendable {
    private static let members: Set<String> = ["name", "scope"]
    private static let pageSize = 1_000

    let lists: [KeyList]

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/keys/:system") { request, context in
            let place = request.uri.queryParameters["after"].map { String($0) }
            let part = try await keyList(of: context).part(after: place, limit: Self.pageSize)
            var body: JSONObject = ["keys": .array(part.keys.map { .object($0.json) })]
            body["next"] = part.next.map(JSONValue.string)
            return Response(json: .object(body))
        }
        router.post("/v1/keys/:system") { request, context in
            let list = try keyList(of: context)
            guard let making = list.making else {
                throw APIError.invalidArgument("the keys of \(list.system) are made elsewhere")
            }
            let (name, scope) = try Self.request(try await request.jsonBody(), scopes: making.scopes)
            let made = try await making.key(named: name, scope: scope)
            var body = made.key.json
            body["key"] = .string(made.value.text)
            return Response(json: .object(body))
        }
        router.delete("/v1/keys/:system/:id") { _, context in
            let list = try keyList(of: context)
            guard try await list.revoke(try context.parameters.require("id")) else {
                throw APIError.notFound("there is no such key; perhaps it has just been revoked")
            }
            return Response(json: [:])
        }
    }

    private func keyList(of context: GatewayRequestContext) throws -> KeyList {
        let system = try context.parameters.require("system")
        guard let list = lists.first(where: { $0.id == system }) else {
            let ids = lists.map(\.id).joined(separator: ", ")
            throw APIError.notFound(
                "no system that is switched on has keys by the name \(system); "
                    + (ids.isEmpty ? "none has any" : "these have: \(ids)")
                    + ". Tokens for publishing need functions.publishing.enabled")
        }
        return list
    }

    private static func request(
        _ body: JSONValue, scopes: String
    ) throws(APIError) -> (name: String, scope: String) {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { !members.contains($0) }) {
            throw .invalidArgument("“\(unknown)” is not a member; the members are name and scope")
        }
        guard let name = body["name"]?.string, (1...KeyMaking.longestName).contains(name.count) else {
            throw .invalidArgument("name must be a text of 1 to \(KeyMaking.longestName) characters")
        }
        guard let scope = body["scope"]?.string else { throw .invalidArgument("scope must be \(scopes)") }
        return (name, scope)
    }
}

extension KeyMaking {
    /// Makes a key, with errors for clients.
    fileprivate func key(named name: String, scope: String) async throws -> MadeKey {
        do {
            return try await make(name, scope)
        } catch let problem as KeyProblem {
            throw APIError.invalidArgument(problem.text)
        }
    }
}

extension ListedKey {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "name": .string(name), "prefix": .string(prefix),
            "scopes": .array(scopes.map(JSONValue.string)), "created_at": .string(createdAt.description),
        ]
        object["last_used_at"] = lastUsedAt.map { .string($0.description) }
        return object
    }
}
