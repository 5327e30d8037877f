import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

/// Calls of paired browsers, and of servers that pair them.
extension Bench {
    /// Returns a bench of a gateway with an address.
    ///
    /// - Parameter publicURL: The address at which phones reach the gateway.
    static func pairing(
        publicURL: String? = nil, configure: (inout CodeAgentsSettings) -> Void = { _ in }
    ) throws -> Bench {
        try Bench(configure: configure) { services in
            var changed = services
            changed.host.publicURL = publicURL
            return changed
        }
    }

    /// Calls an endpoint by its method and path.
    func endpoint(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, credential: String? = nil,
        query: [String: String] = [:], address: String = "192.0.2.1", isFromLoopback: Bool = false,
        originRefusal: String? = nil
    ) async throws -> FunctionResponse {
        let match = try #require(ModuleRouter([module]).match(method, RequestPath(path)))
        var headers: HTTPFields = [:]
        headers[.authorization] = credential.map { "Bearer \($0)" }
        let bytes = body?.serialized ?? []
        return await match.handle(
            FunctionRequest(
                method: method, headerFields: headers, parameters: match.parameters, query: query,
                clientAddress: address, isFromLoopback: isFromLoopback, originRefusal: originRefusal
            ) { maximum throws(RequestBodyError) in
                guard bytes.count <= maximum else { throw .tooLarge }
                return bytes
            })
    }

    /// Makes a code for an agent of the calls' server.
    func makeCode(cwd: String = "/srv/app", _ more: JSONObject = [:]) async throws -> String {
        let answer = try await call("createPairing", .trigger(cwd: cwd, more))
        return try #require(answer.body["code"]?.string, "\(answer)")
    }

    func pair(
        _ body: JSONValue, address: String = "192.0.2.1", isFromLoopback: Bool = false, originRefusal: String? = nil
    ) async throws -> FunctionResponse {
        try await endpoint(
            .post, "/try/pair", body, address: address, isFromLoopback: isFromLoopback, originRefusal: originRefusal)
    }

    /// Makes a code and exchanges it.
    func credential(cwd: String = "/srv/app", _ more: JSONObject = [:]) async throws -> String {
        let answer = try await pair(["code": .string(try await makeCode(cwd: cwd, more))])
        return try #require(answer.body["credential"]?.string, "\(answer)")
    }

    func subscribe(_ credential: String, endpoint url: String = "https://push.example/1") async throws
        -> FunctionResponse
    {
        try await endpoint(
            .put, "/try/subscription", ["web_push": SampleSubscription.json(url)], credential: credential)
    }

    func unsubscribe(_ credential: String) async throws -> FunctionResponse {
        try await endpoint(.delete, "/try/subscription", credential: credential)
    }

    func documents(in collection: String) async throws -> [Document] {
        try await disk.documents.documents(matching: .collection(CollectionPath(collection)))
    }

    /// Returns the tokens of the agent's devices by their installations.
    func devices() async throws -> [String: String] {
        let devices = try await documents(in: Self.agent + "/devices")
        return Dictionary(uniqueKeysWithValues: devices.map { ($0.path.id, $0["fcmToken"]?.string ?? "") })
    }
}
