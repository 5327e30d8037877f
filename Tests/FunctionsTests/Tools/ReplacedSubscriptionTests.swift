import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Replaced and removed subscriptions of systems", .timeLimit(.minutes(10)))
struct ReplacedSubscriptionTests {
    private static let new = "https://push.example/2"
    private static let body: JSONObject = [
        "web_push": SampleSubscription.json(new), "replaces": SampleSubscription.json(),
    ]

    private func register(
        _ bench: Bench, _ subscription: JSONObject, cwd: String = "/srv/app", secret: String = Call.secret
    ) async throws -> FunctionResponse {
        var json: JSONObject = ["cwd": .string(cwd), "installation_id": "browser"]
        for (name, value) in subscription.members { json[name] = value }
        return try await bench.register(Call(.object(json), secret: secret))
    }

    /// Returns the endpoints of all devices of coding agents.
    private func endpoints(_ bench: Bench) async throws -> [String?] {
        try await bench.documents().filter { $0.key.contains("/devices/") }.map { $0.value["fcmToken"]?.string }
    }

    @Test("A replacement at one agent moves the browser's registrations at all agents of all servers")
    func codeAgents() async throws {
        let bench = try Bench()
        let other = String(repeating: "z", count: 40)
        let first: JSONObject = ["web_push": SampleSubscription.json()]
        for (cwd, secret) in [("/srv/app", Call.secret), ("/srv/other", Call.secret), ("/srv/app", other)] {
            #expect(try await register(bench, first, cwd: cwd, secret: secret).status == .ok)
        }
        // A device that is known renews, and one that replaces does not.
        let answer = try await register(bench, Self.body)
        #expect(answer.status == .ok && answer.body["former_subscription_removed_at"] == nil)
        #expect(try await endpoints(bench) == [Self.new, Self.new, Self.new])
        // The same replacement again changes nothing.
        #expect(try await register(bench, Self.body).status == .ok)
        #expect(try await endpoints(bench) == [Self.new, Self.new, Self.new])
    }

    @Test(
        "A former subscription that is none is refused by the name of its part",
        arguments: SampleSubscription.refusals)
    func refused(json: JSONValue, text: String) async throws {
        let bench = try Bench()
        let body: JSONObject = ["web_push": SampleSubscription.json(), "replaces": json]
        let answer = try await register(bench, body)
        #expect(answer.status == .badRequest)
        #expect(answer.body == ["error": "replaces_invalid", "message": .string("replaces" + text)])
        #expect(try await bench.documents().isEmpty)
    }

    @Test("A former subscription may be at a host that the gateway does not send to any more")
    func formerHost() async throws {
        let bench = try Bench(services: { services in
            var services = services
            services.host.subscriptionRefusal = { address in
                address.token.value == SampleSubscription.endpoint ? .switchedOff("not any more") : nil
            }
            return services
        })
        #expect(try await register(bench, Self.body).status == .ok)
        #expect(try await register(bench, ["web_push": SampleSubscription.json()]).status == .badRequest)
    }

    @Test("A browser whose subscription has ended learns that once, with the time, when it registers again")
    func codeAgentsRemoval() async throws {
        let bench = try Bench(
            ScriptedTransport { $0.target.address.token.value == SampleSubscription.endpoint ? .dead : .accepted })
        _ = try await register(bench, ["web_push": SampleSubscription.json()])
        try await bench.running {
            let triggered = try await bench.trigger()
            #expect(triggered.body["pruned"] == 1)
            let removedAt = bench.clock.timestamp.description
            bench.clock.advance(by: .seconds(3_600))
            let next: JSONObject = ["web_push": SampleSubscription.json(Self.new)]
            let answer = try await register(bench, next)
            #expect(answer.status == .ok && answer.body["former_subscription_removed_at"] == .string(removedAt))
            #expect(try await register(bench, next).body["former_subscription_removed_at"] == nil)
            #expect(try await bench.trigger().body["sent"] == 1)
        }
    }

    @Test("A phone whose token is invalid is told nothing, and leaves no record")
    func token() async throws {
        let bench = try Bench(ScriptedTransport { $0.token == "dead" ? .dead : .accepted })
        _ = try await bench.register(.register(token: "dead"))
        try await bench.running {
            let triggered = try await bench.trigger()
            #expect(triggered.body["pruned"] == 1)
        }
        #expect(try await bench.disk.documents.collectionIDs(below: nil).contains("removedSubscriptions") == false)
        let answer = try await bench.register(.register(token: "token-2"))
        #expect(answer.body.object?.members.map(\.name) == ["ok", "server_key", "agent_key"])
    }

    @Test("A replacement at runs exchanges the device, and tells of the end of the former subscription")
    func runs() async throws {
        let bench = try RunsBench(
            ScriptedTransport { $0.target.address.token.value == SampleSubscription.endpoint ? .dead : .accepted })
        _ = try await bench.call(.post, "/api/devices", ["web_push": SampleSubscription.json()])
        let moved = try await bench.call(.post, "/api/devices", .object(Self.body))
        #expect(moved.status == .created && moved.body["former_subscription_removed_at"] == nil)
        let devices = try await bench.documents(in: "runDevices")
        #expect(devices.map { $0["deviceToken"]?.string } == [Self.new])

        _ = try await bench.call(.post, "/api/devices", ["web_push": SampleSubscription.json()])
        try await bench.running {
            _ = try await bench.requestApproval()
            try await eventually("the ended subscription is gone") {
                try await bench.documents(in: "runDevices").count == 1
            }
        }
        let told = try await bench.call(.post, "/api/devices", .object(Self.body))
        #expect(told.body["former_subscription_removed_at"] == .string(bench.clock.timestamp.description))
    }

    @Test("A replacement at one system moves the browser's devices of the others")
    func acrossSystems() async throws {
        let sessions = try SessionsBench()
        _ = try await sessions.call(.post, "/api/v1/push/register", ["web_push": SampleSubscription.json()])
        let tasks = try HumanTasksBench(on: sessions.disk)
        let phone = try await tasks.makePhone(token: nil)
        let path = "/api/devices/\(phone.id)/apns-token"
        _ = try await tasks.call(.post, path, ["web_push": SampleSubscription.json()], headers: phone.headers)
        let turns = try TurnsBench(on: sessions.disk)
        for player in ["7", "8"] {
            _ = try await turns.bench.call(
                .post, "/register", ["user_id": .string(player), "web_push": SampleSubscription.json()])
        }
        var body = Self.body
        body["user_id"] = "8"
        #expect(try await turns.bench.call(.post, "/register", .object(body)) == .json(.ok, ["status": "registered"]))
        for collection in ["sessionPhones", "humanTaskTokens", "turnDevices"] {
            let devices = try await sessions.documents(in: collection)
            #expect(devices.count == (collection == "turnDevices" ? 2 : 1))
            #expect(devices.allSatisfy { $0["deviceToken"]?.string == Self.new }, "\(collection)")
        }
        let again = try await tasks.call(.post, path, .object(Self.body), headers: phone.headers)
        #expect(again.body.object?.members.map(\.name) == ["status", "updated_at"])
    }
}
