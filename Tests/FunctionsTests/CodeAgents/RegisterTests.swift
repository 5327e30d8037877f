import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("registerSubscription")
struct RegisterTests {
    @Test("Registering answers with the keys and writes exactly three documents")
    func documents() async throws {
        let bench = try Bench()
        let answer = try await bench.register(.register(name: "My agent"))
        #expect(
            answer == .ok(["ok": true, "server_key": .string(Call.serverKey), "agent_key": .string(Bench.agentKey)]))
        #expect(
            try await bench.documents() == [
                Bench.server: ["createdAt": bench.now, "lastSeenAt": bench.now],
                Bench.agent: ["cwd": "/srv/app", "agentDisplayName": "My agent", "updatedAt": bench.now],
                Bench.device("phone"): [
                    "fcmToken": "token-1", "transport": "fcm", "platform": "ios", "updatedAt": bench.now,
                ],
            ])
    }

    @Test("Registering again changes only the times and keeps createdAt")
    func again() async throws {
        let bench = try Bench()
        let first = bench.now
        _ = try await bench.register(.register(name: "My agent"))
        bench.clock.advance(by: .seconds(100))
        let answer = try await bench.register(.register(name: "My agent"))
        #expect(answer.status == .ok)
        #expect(
            try await bench.documents() == [
                Bench.server: ["createdAt": first, "lastSeenAt": bench.now],
                Bench.agent: ["cwd": "/srv/app", "agentDisplayName": "My agent", "updatedAt": bench.now],
                Bench.device("phone"): [
                    "fcmToken": "token-1", "transport": "fcm", "platform": "ios", "updatedAt": bench.now,
                ],
            ])
    }

    @Test("Registering keeps other fields of the server's document")
    func serverDisplayName() async throws {
        let bench = try Bench()
        let server = try DocumentPath(Bench.server)
        _ = try await bench.disk.documents.commit([.set(server, ["serverDisplayName": "box", "createdAt": bench.now])])
        let first = bench.now
        bench.clock.advance(by: .seconds(1))
        _ = try await bench.register()
        #expect(
            try await bench.document(Bench.server)
                == ["serverDisplayName": "box", "createdAt": first, "lastSeenAt": bench.now])
    }

    @Test("A missing or blank display name deletes the stored one", arguments: [nil, "", "   "] as [String?])
    func displayName(name: String?) async throws {
        let bench = try Bench()
        _ = try await bench.register(.register(name: "  My agent "))
        #expect(try await bench.document(Bench.agent)?["agentDisplayName"] == "My agent")
        _ = try await bench.register(.register(name: name))
        #expect(try await bench.document(Bench.agent)?.keys.sorted() == ["cwd", "updatedAt"])
    }

    @Test("A new token of an installation replaces the old one and all its fields")
    func rotation() async throws {
        let bench = try Bench()
        let hexadecimal = String(repeating: "0f", count: 32)
        _ = try await bench.register(
            Call([
                "cwd": "/srv/app", "installation_id": "phone", "fcm_token": .string(hexadecimal),
                "bundle_id": "com.example.app", "apns_environment": "Sandbox", "app_version": "1.2",
                "platform": "ipados",
            ]))
        #expect(
            try await bench.document(Bench.device("phone")) == [
                "fcmToken": .string(hexadecimal), "transport": "apns", "platform": "ipados", "updatedAt": bench.now,
                "bundleId": "com.example.app", "apnsEnvironment": "sandbox", "appVersion": "1.2",
            ])
        _ = try await bench.register(.register(token: "token-2"))
        #expect(
            try await bench.document(Bench.device("phone"))
                == ["fcmToken": "token-2", "transport": "fcm", "platform": "ios", "updatedAt": bench.now])
    }

    @Test("Another token of an installation is answered as a replacement, and the same token is not")
    func replacement() async throws {
        let bench = try Bench()
        func isReplaced(_ installation: String, _ token: String) async throws -> JSONValue? {
            try await bench.register(.register(installation, token: token)).body["replaced"]
        }
        #expect(try await isReplaced("phone", "token-1") == nil)
        for token in ["token-2", "token-1", "token-2", "token-1"] {
            #expect(try await isReplaced("phone", token) == true)
        }
        #expect(try await isReplaced("phone", "token-1") == nil)
        #expect(try await isReplaced("tablet", "token-1") == nil)
    }

    @Test("A token that cannot be one is registered, and the answer has a warning without it")
    func mistakenToken() async throws {
        let bench = try Bench()
        let token = "9f3b12aa 8d6d13f2"
        let answer = try await bench.register(.register(token: token))
        #expect(answer.status == .ok)
        #expect(answer.body["warnings"] == ["the token has blanks inside; send it without them"])
        #expect(try await bench.document(Bench.device("phone"))?["fcmToken"] == .string(token))
        #expect(try await bench.register().body["warnings"] == nil)
        let browser = Call(["cwd": "/srv/app", "installation_id": "web", "web_push": SampleSubscription.json()])
        #expect(try await bench.register(browser).body["warnings"] == nil)
    }

    @Test("A device that no configured push service reaches is registered with a warning")
    func unreachable() async throws {
        let digits = String(repeating: "0f", count: 32)
        let forApple = try Bench(services: { services in
            var services = services
            services.host.hasTransport = { $0 == .apns }
            return services
        })
        #expect(
            try await forApple.register().body["warnings"]
                == ["no notification reaches this device: there is no transport fcm"])
        #expect(try await forApple.register(.register(token: digits)).body["warnings"] == nil)
        let emulator = try Bench(services: { services in
            var services = services
            services.host.reachesDevices = false
            return services
        })
        #expect(
            try await emulator.register(.register(token: digits)).body["warnings"]
                == ["this device's notifications stay in the gateway's inbox: there is no transport apns"])
        #expect(try await emulator.register(.register(token: "emulated:1")).body["warnings"] == nil)
    }

    @Test("Optional fields are read in camelCase too, and snake_case wins")
    func camelCase() async throws {
        let bench = try Bench()
        _ = try await bench.register(
            Call([
                "cwd": "/srv/app", "installation_id": "phone", "fcm_token": "t", "appVersion": "1", "bundleId": "b1",
            ]))
        #expect(try await bench.document(Bench.device("phone"))?["appVersion"] == "1")
        #expect(try await bench.document(Bench.device("phone"))?["bundleId"] == "b1")
        _ = try await bench.register(
            Call([
                "cwd": "/srv/app", "installation_id": "phone", "fcm_token": "t", "appVersion": "1", "bundleId": "b1",
                "app_version": "2", "bundle_id": "b2",
            ]))
        #expect(try await bench.document(Bench.device("phone"))?["appVersion"] == "2")
        #expect(try await bench.document(Bench.device("phone"))?["bundleId"] == "b2")
    }

    @Test("An environment that APNs does not have is a bad request", arguments: ["staging", "prod", "sandbox2"])
    func environment(name: String) async throws {
        let bench = try Bench()
        let answer = try await bench.register(
            Call([
                "cwd": "/srv/app", "installation_id": "phone", "fcm_token": "t", "apns_environment": .string(name),
            ]))
        #expect(answer.withoutMessage == .badRequest)
    }

    @Test("Keys are derived from the trimmed and decoded strings, and keys in the body are ignored")
    func keys() async throws {
        let bench = try Bench()
        let text = #"""
            {"cwd":"  \/srv\/\u0061pp\n","installation_id":" phone ","fcm_token":"\ttoken-1",
             "server_key":"x","agent_key":"y"}
            """#
        let answer = try await bench.register(Call(text: text))
        let plain = try await bench.register()
        #expect(answer == plain)
        #expect(try await bench.documents().keys.sorted() == [Bench.server, Bench.agent, Bench.device("phone")])
        #expect(try await bench.document(Bench.agent)?["cwd"] == "/srv/app")
    }

    @Test("A path with characters outside ASCII is hashed as UTF-8")
    func unicode() async throws {
        let bench = try Bench()
        let answer = try await bench.register(.register(cwd: "/srv/ключ/😀"))
        #expect(answer.body["agent_key"] == "1cb95cb8993251def2f05f83b4a388c3773083715f2234012e700ea35910d426")
    }

    @Test(
        "An installation id that cannot be a document id is a bad request",
        arguments: ["a/b", "/", ".", "..", "__x__", "____", "a/", "/a"])
    func installation(id: String) async throws {
        let bench = try Bench()
        #expect(try await bench.register(.register(id)).withoutMessage == .badRequest)
        #expect(try await bench.unregister(.unregister(id)).withoutMessage == .badRequest)
        #expect(try await bench.unregister(.unregister(id, cwd: "/srv/app")).withoutMessage == .badRequest)
        #expect(try await bench.documents().isEmpty)
    }

    @Test(
        "An unusual installation id is kept byte for byte",
        arguments: ["...", "__x", "a b", "é", "e\u{301}", "😀", "a\u{0}b", "a\u{1}b", "%2F", "'\"", "phone\\"])
    func unusual(id: String) async throws {
        let bench = try Bench()
        _ = try await bench.register()
        #expect(try await bench.register(.register(id, token: "token-2")).status == .ok)
        let documents = try await bench.documents()
        #expect(documents.count == 4)
        #expect(documents.keys.contains { Array($0.utf8) == Array(Bench.device(id).utf8) })
        #expect(try await bench.unregister(.unregister(id)) == .ok(["ok": true, "deleted": 1]))
        #expect(try await bench.documents().count == 3)
    }

    @Test("Registrations of different installations, agents and servers are separate")
    func separate() async throws {
        let bench = try Bench()
        _ = try await bench.register(.register("a"))
        _ = try await bench.register(.register("b", token: "token-2"))
        _ = try await bench.register(.register("a", cwd: "/srv/other"))
        _ = try await bench.register(.register("a", secret: String(repeating: "z", count: 40)))
        let paths = try await bench.documents().keys
        #expect(paths.count { $0.split(separator: "/").count == 2 } == 2)
        #expect(paths.count { $0.split(separator: "/").count == 4 } == 3)
        #expect(paths.count { $0.split(separator: "/").count == 6 } == 4)
    }

    @Test("Concurrent registrations for the same new server all succeed")
    func concurrent() async throws {
        let bench = try Bench()
        try await withThrowingTaskGroup(of: FunctionResponse.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await bench.register(.register("phone\(number)", token: "t\(number)", address: "a\(number)"))
                }
            }
            for try await answer in group { #expect(answer.status == .ok) }
        }
        #expect(try await bench.documents().count == 22)
    }
}
