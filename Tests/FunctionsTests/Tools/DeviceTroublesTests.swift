import DocumentStore
import HTTPTypes
import JSON
import Logging
import Messaging
import TestDoubles
import Testing

@testable import Functions

@Suite("Devices whose notifications cannot arrive", .timeLimit(.minutes(10)))
struct DeviceTroublesTests {
    private static let apnsToken = String(repeating: "0f", count: 32)
    private static let fcmToken = "cYzq1XkQTkmVsGMv2bQ4Lr:APA91bF"

    /// A gateway that reaches Apple alone.
    private static func forAppleAlone(_ services: ModuleServices) -> ModuleServices {
        var services = services
        services.host.hasTransport = { $0 == .apns }
        return services
    }

    private func warnings(_ log: CollectedLog) -> [String] { log.lines.filter { $0.contains("warning ") } }

    @Test("Requests are all counted, and at most ten a minute are logged")
    func count() {
        let (clock, log) = (ManualClock(), CollectedLog())
        let troubles = DeviceTroubles(now: { clock.timestamp }, logger: log.logger)
        for _ in 0..<1_000 { troubles.note(.unknownDevice, of: "humantasks", metadata: ["address": "192.0.2.1"]) }
        troubles.note(.noTransport(.fcm), of: "runs", metadata: [:])
        #expect(warnings(log).count == 10)
        #expect(troubles.recent.map(\.count) == [1_000, 1])
        #expect(troubles.recent.map(\.system) == ["humantasks", "runs"])
        clock.advance(by: .seconds(60))
        for _ in 0..<20 { troubles.note(.noTransport(.fcm), of: "runs", metadata: [:]) }
        #expect(warnings(log).count == 20)
        #expect(troubles.recent.map(\.count) == [1_000, 21])
    }

    @Test("A trouble ends a day after its last request, and begins at one again")
    func end() {
        let clock = ManualClock()
        let troubles = DeviceTroubles(now: { clock.timestamp }, logger: CollectedLog().logger)
        #expect(troubles.recent.isEmpty)
        for _ in 0..<3 { troubles.note(.unknownDevice, of: "humantasks", metadata: [:]) }
        clock.advance(by: .seconds(86_400))
        #expect(troubles.recent.map(\.count) == [3])
        clock.advance(by: .seconds(1))
        #expect(troubles.recent.isEmpty)
        troubles.note(.unknownDevice, of: "humantasks", metadata: [:])
        #expect(troubles.recent.map(\.count) == [1])
    }

    @Test("An unknown device is refused and logged without its id, and a missing id is not logged")
    func unknownDevice() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        for (method, path) in [
            (HTTPRequest.Method.get, "/api/hits"), (.post, "/api/devices/\(phone.id)/heartbeat"),
        ] {
            let answer = try await bench.call(method, path, headers: .device("9f3d-of-another-server"))
            #expect(answer == .task(.forbidden, "Unknown device"))
            #expect(try await bench.call(method, path) == .task(.unauthorized, "Missing X-Device-ID header"))
        }
        #expect(try await bench.call(.get, "/api/hits", headers: phone.headers).status == .ok)
        let warnings = warnings(bench.log)
        #expect(warnings.count == 2 && warnings.allSatisfy { $0.contains("not registered here") })
        #expect(warnings.allSatisfy { $0.contains(#""system": humantasks"#) && !$0.contains("9f3d") })
    }

    @Test("A registration for coding agents with a token that has no transport is accepted and logged")
    func codeAgents() async throws {
        let bench = try Bench(services: Self.forAppleAlone)
        for (token, count) in [(Self.apnsToken, 0), (Self.fcmToken, 1), (Self.fcmToken, 2)] {
            let answer = try await bench.register(
                Call(["cwd": "/srv/app", "installation_id": "phone", "fcm_token": .string(token)]))
            #expect(answer.status == .ok)
            let warnings = warnings(bench.log)
            #expect(warnings.count == count && warnings.allSatisfy { $0.contains("no transport fcm") })
            #expect(warnings.allSatisfy { $0.contains(#""system": codeagents"#) && !$0.contains(Self.fcmToken) })
        }
    }

    @Test("A registration for a system with a token that has no transport is accepted and logged")
    func registry() async throws {
        let clock = ManualClock()
        let bench = try SystemBench(clock: clock) { services in
            var services = Self.forAppleAlone(services)
            services.host.fetcher = { _ in ScriptedSite(clock) }
            return try Turns(settings: TurnsSettings(), services: services)
        }
        for (token, count) in [(Self.apnsToken, 0), (Self.fcmToken, 1)] {
            let answer = try await bench.call(
                .post, "/register", ["user_id": "7", "device_token": .string(token)])
            #expect(answer == .json(.ok, ["status": "registered"]))
            let warnings = warnings(bench.log)
            #expect(warnings.count == count && warnings.allSatisfy { $0.contains(#""system": turns"#) })
        }
    }
}
