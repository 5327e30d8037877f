import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

/// Turns over a real store, with a scripted game site and a scripted push service.
struct TurnsBench: Sendable {
    let site: ScriptedSite
    let bench: SystemBench<Turns>

    init(
        on disk: TemporaryStore? = nil, clock: ManualClock = ManualClock(), site: ScriptedSite? = nil,
        _ transport: ScriptedTransport = ScriptedTransport(),
        configure: (inout TurnsSettings) -> Void = { _ in }
    ) throws {
        var settings = TurnsSettings()
        settings.newPlayersPerHourPerAddress = 0
        configure(&settings)
        let site = site ?? ScriptedSite(clock)
        self.site = site
        bench = try SystemBench(on: disk, clock: clock, transport) { services in
            var services = services
            services.host.fetcher = { _ in site }
            return try Turns(settings: settings, services: services)
        }
    }

    var clock: ManualClock { bench.clock }
    var sent: [ScriptedTransport.Sent] { bench.transport.sent }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> FunctionResponse {
        try await bench.call(.get, path, headers: headers)
    }

    @discardableResult
    func register(
        _ player: String = "7", token: String = "token-1", address: String = "192.0.2.1"
    ) async throws -> FunctionResponse {
        try await bench.call(
            .post, "/register", ["user_id": .string(player), "device_token": .string(token)], address: address)
    }

    /// Moves the clock until the site has been asked `count` times about the player.
    func untilAsked(_ player: Int64 = 7, _ count: Int, by step: Duration = .milliseconds(500)) async throws {
        try await eventually("player \(player) is polled \(count) times", advancing: clock, by: step) {
            site.count(of: player) >= count
        }
    }

    /// Moves the clock until `count` notifications have been sent.
    func untilSent(_ count: Int, by step: Duration = .milliseconds(500)) async throws {
        try await eventually("\(count) notifications are sent", advancing: clock, by: step) { sent.count >= count }
    }

    func untilStored() async throws { try await bench.untilStored() }
}
