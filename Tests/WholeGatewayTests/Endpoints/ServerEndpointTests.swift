import Cryptography
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("The list of servers over HTTP", .timeLimit(.minutes(10)))
struct ServerEndpointTests {
    private static let path = "/v1/servers"

    @Test("A decision is stored, listed and obeyed, page by page")
    func decisions() async throws {
        try await withGateway(["functions.codeagents.servers": "listed"]) { gateway in
            let (one, two) = (Daemon(gateway.caller), Daemon(gateway.caller))
            #expect(try await one.register("phone", token: "emulated:1").status == 403)
            let keys = [one, two].map { SHA256.hexadecimal(of: $0.secret) }
            let decision: JSONValue = ["access": "allowed", "name": "build"]
            #expect(try await gateway.ask("\(Self.path)/\(keys[0])", .put, decision).body == ["removed": 0])
            #expect(try await one.register("phone", token: "emulated:1").status == 200)
            #expect(try await two.register("phone", token: "emulated:1").status == 403)
            _ = try await gateway.ask("\(Self.path)/\(keys[1])", .put, ["access": "denied"])
            let all = try await gateway.ask(Self.path).body
            #expect(all["admitted"] == "listed" && all["next"] == nil)
            #expect(all["servers"]?.array?.map { $0["key"]?.string } == keys.sorted())
            let listed = all["servers"]?.array?.first { $0["key"] == .string(keys[0]) }
            #expect(listed?["access"] == "allowed" && listed?["name"] == "build" && listed?["last_seen_at"] != nil)
            let first = try await gateway.ask("\(Self.path)?limit=1").body
            #expect(first["next"] == .string(keys.min() ?? ""))
            let rest = try await gateway.ask("\(Self.path)?limit=1&after=\(keys.min() ?? "")").body
            #expect(rest["servers"]?[0]?["key"] == .string(keys.max() ?? ""))
            #expect(try await gateway.ask("\(Self.path)/\(keys[0])", .put, ["access": "denied"]).body == ["removed": 1])
        }
    }

    @Test(
        "A mistake answers 400 with what to do, and changes nothing",
        arguments: [
            ("abc", ["access": "allowed"], "64 hexadecimal digits"),
            (String(repeating: "A", count: 64), ["access": "allowed"], "64 hexadecimal digits"),
            (String(repeating: "a", count: 64), ["access": "maybe"], "allowed or denied"),
            (String(repeating: "a", count: 64), ["access": "allowed", "name": ""], "1 to 120 characters"),
            (String(repeating: "a", count: 64), ["access": "allowed", "nam": "x"], "“nam” is not a member"),
            (String(repeating: "a", count: 64), "allowed", "must be a JSON object"),
        ] as [(String, JSONValue, String)])
    func mistakes(key: String, body: JSONValue, text: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask("\(Self.path)/\(key)", .put, body)
            #expect(answer.status == 400 && answer.text.contains(text), "\(answer.text)")
            #expect(try await gateway.ask(Self.path).body == ["admitted": "open", "servers": []])
            #expect(try await gateway.ask("\(Self.path)?after=x").status == 400)
            #expect(try await gateway.caller.send(.get, Self.path).status == 401)
        }
    }
}
