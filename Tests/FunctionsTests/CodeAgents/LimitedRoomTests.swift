import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Full servers and agents")
struct LimitedRoomTests {
    private static let tooManyAgents = FunctionResponse.error(409, "too_many_agents")
    private static let tooManyDevices = FunctionResponse.error(409, "too_many_devices")

    private func bench(agents: Int = 2, devices: Int = 2) throws -> Bench {
        try Bench {
            $0.maximumAgentsPerServer = agents
            $0.maximumDevicesPerAgent = devices
            $0.requestsPerMinutePerSecret = 0
            $0.requestsPerMinutePerAddress = 0
            $0.newServersPerHourPerAddress = 0
        }
    }

    @Test("An agent with the maximum of devices refuses new ones and accepts its own")
    func devices() async throws {
        let bench = try bench()
        for phone in ["one", "two"] { #expect(try await bench.register(.register(phone)).status == .ok) }
        let before = try await bench.documents()
        #expect(try await bench.register(.register("three")).withoutMessage == Self.tooManyDevices)
        #expect(try await bench.documents() == before)
        #expect(try await bench.register(.register("two", token: "token-2")).status == .ok)
        #expect(try await bench.document(Bench.device("two"))?["fcmToken"] == "token-2")
        #expect(try await bench.register(.register("three", cwd: "/srv/other")).status == .ok)
        _ = try await bench.unregister(.unregister("one", cwd: "/srv/app"))
        #expect(try await bench.register(.register("three")).status == .ok)
    }

    @Test("A server with the maximum of agents refuses new ones and accepts devices for its own")
    func agents() async throws {
        let bench = try bench()
        for folder in ["/a", "/b"] { #expect(try await bench.register(.register(cwd: folder)).status == .ok) }
        #expect(try await bench.register(.register(cwd: "/c")).withoutMessage == Self.tooManyAgents)
        #expect(try await bench.register(.register("two", cwd: "/b")).status == .ok)
        let other = String(repeating: "o", count: 40)
        #expect(try await bench.register(.register(cwd: "/c", secret: other)).status == .ok)
    }

    @Test("Concurrent registrations do not exceed the limits of devices and agents", arguments: [1, 5])
    func race(limit: Int) async throws {
        let bench = try bench(agents: limit, devices: limit)
        _ = try await bench.register(.register("phone-0"))
        let answers = try await withThrowingTaskGroup(of: FunctionResponse.self) { group -> [FunctionResponse] in
            for number in 1..<40 { group.addTask { try await bench.register(.register("phone-\(number)")) } }
            for number in 1..<40 { group.addTask { try await bench.register(.register(cwd: "/srv/\(number)")) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == .ok } == 2 * (limit - 1))
        #expect(answers.count { $0.withoutMessage == Self.tooManyDevices } == 40 - limit)
        #expect(answers.count { $0.withoutMessage == Self.tooManyAgents } == 40 - limit)
        let paths = try await bench.documents().keys
        #expect(paths.count { $0.split(separator: "/").count == 4 } == limit)
        #expect(paths.count { $0.hasPrefix(Bench.agent + "/devices/") } == limit)
    }

    @Test("A limit of 0 allows any number of devices and agents")
    func lifted() async throws {
        let bench = try bench(agents: 0, devices: 0)
        for number in 0..<20 { #expect(try await bench.register(.register("\(number)")).status == .ok) }
        for number in 0..<20 { #expect(try await bench.register(.register(cwd: "/\(number)")).status == .ok) }
    }

    @Test("Registering a known device with the same token reads and counts nothing")
    func cost() async throws {
        let bench = try bench()
        _ = try await bench.register()
        bench.store.set { hooks in
            hooks.beforeRead = { _ throws(StoreError) in throw StoreError(.internal, "a read") }
            hooks.beforeQuery = { _ throws(StoreError) in throw StoreError(.internal, "a query") }
        }
        #expect(try await bench.register().status == .ok)
        #expect(try await bench.register(.register(token: "token-2")).status == .internalServerError)
        #expect(try await bench.register(.register("two")).status == .internalServerError)
    }
}
