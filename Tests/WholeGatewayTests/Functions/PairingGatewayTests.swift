import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Gateway with paired browsers", .timeLimit(.minutes(10)))
struct PairingGatewayTests {
    private static let settings = ["webpush.subject": "mailto:ops@pushgate.dev"]
    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")

    @Test("The page has the gateway's key, and its files have their types")
    func page() async throws {
        try await withGateway(Self.settings) { gateway in
            let key = try await gateway.caller.send(.get, "/webpush/key").text
            #expect(key.utf8.count == 87)
            let page = try await gateway.caller.send(.get, "/try")
            #expect(page.status == 200 && page.text.contains("<main data-key=\"\(key)\" data-local>"))
            #expect(page.headerFields[.contentType] == "text/html; charset=utf-8")
            #expect(page.headerFields[.cacheControl] == "no-store")
            for (path, type) in [
                ("worker.js", "text/javascript; charset=utf-8"), ("manifest.webmanifest", "application/manifest+json"),
                ("icon.png", "image/png"),
            ] {
                let file = try await gateway.caller.send(.get, "/try/\(path)")
                #expect(file.status == 200 && file.headerFields[.contentType] == type, "\(path)")
                #expect(file.headerFields[.contentLength] == String(file.bytes.count))
                let head = try await gateway.caller.send(.head, "/try/\(path)")
                #expect(head.status == 200 && head.bytes.isEmpty)
            }
            let other = try await gateway.caller.send(.post, "/try")
            #expect(other.status == 405 && other.headerFields[.allow] == "GET")
        }
    }

    @Test("Without Web Push the page says so, and with the setting off it is not there")
    func off() async throws {
        try await withGateway { gateway in
            let page = try await gateway.caller.send(.get, "/try")
            #expect(page.status == 200 && page.text.contains("Web Push is off"))
        }
        try await withGateway(Self.settings.merging(["functions.codeagents.pairing": "false"]) { $1 }) { gateway in
            for path in ["/try", "/try/worker.js", "/try/pair"] {
                let answer = try await gateway.caller.send(.get, path)
                #expect(answer.status == 404, "\(path)")
            }
            let pairing = try await gateway.caller.send(.post, "/try/pair", body: Array("{}".utf8))
            #expect(pairing.status == 404)
        }
    }

    @Test("A browser on the gateway's machine needs no code; behind a proxy it does, and another site's page does")
    func loopback() async throws {
        let field = try #require(Self.forwardedFor)
        for proxies in ["", "127.0.0.1"] {
            let more = proxies.isEmpty ? [:] : ["http.trustedProxies": proxies]
            try await withGateway(Self.settings.merging(more) { $1 }) { gateway in
                func pair(_ headers: HTTPFields) async throws -> Answer {
                    try await gateway.caller.send(.post, "/try/pair", headerFields: headers, body: Array("{}".utf8))
                }
                let near = try await pair([.origin: gateway.url])
                #expect(near.status == 200 && near.body["secret"]?.string != nil)
                #expect(near.headerFields[.cacheControl] == "no-store")
                let forwarded: HTTPFields = [field: "203.0.113.9"]
                #expect(try await pair(forwarded).code == "code_required", "proxies: \(proxies)")
                let page = try await gateway.caller.send(.get, "/try", headerFields: forwarded)
                #expect(!page.text.contains("data-local>"))
                for origin in ["https://evil.example", "null"] {
                    let foreign = try await pair([.origin: origin])
                    #expect(foreign.status == 403 && foreign.code == "foreign_origin", "\(origin)")
                }
            }
        }
    }

    @Test("A browser behind a proxy is paired by a code, and its subscription is that of its agent alone")
    func code() async throws {
        let field = try #require(Self.forwardedFor)
        let settings = Self.settings.merging(["http.trustedProxies": "127.0.0.1"]) { $1 }
        try await withGateway(settings) { gateway in
            let daemon = Daemon(gateway.caller)
            let made = try await gateway.caller.call("createPairing", ["cwd": "/srv/app"], secret: daemon.secret)
            let code = try #require(made.body["code"])
            let forwarded: HTTPFields = [field: "203.0.113.9"]
            let body: JSONValue = ["code": code]
            let paired = try await gateway.caller.send(
                .post, "/try/pair", headerFields: forwarded, body: body.serialized)
            let credential = try #require(paired.body["credential"]?.string)
            #expect(paired.body["secret"] == nil)
            let put: JSONValue = ["web_push": SampleSubscription.json("https://push.invalid/1")]
            let headers: HTTPFields = [.authorization: "Bearer \(credential)", field: "203.0.113.9"]
            let stored = try await gateway.caller.send(
                .put, "/try/subscription", headerFields: headers, body: put.serialized)
            #expect(stored.status == 200, "\(stored.text)")
            #expect(try await daemon.trigger(isAsync: true).body["attempted"] == 1)
            #expect(try await daemon.trigger(cwd: "/srv/other").body["attempted"] == 0)
            let used = try await gateway.caller.send(
                .post, "/try/pair", headerFields: forwarded, body: body.serialized)
            #expect(used.status == 404 && used.code == "unknown_code")
            let ended = try await gateway.caller.send(.delete, "/try/subscription", headerFields: headers)
            #expect(ended.body["deleted"] == 1)
            #expect(try await daemon.trigger().body["attempted"] == 0)
            let log = gateway.log.lines.joined(separator: "\n")
            for secret in [credential, code.string ?? "", daemon.secret] { #expect(!log.contains(secret)) }
        }
    }
}
