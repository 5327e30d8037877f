import APNsSimulator
import DocumentStore
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("/readyz", .timeLimit(.minutes(10)))
struct ReadinessTests {
    private func states(_ answer: Answer) -> [String: String] {
        var states: [String: String] = [:]
        for check in answer.body["checks"]?.array ?? [] {
            states[check["name"]?.string ?? ""] = check["state"]?.string
        }
        return states
    }

    @Test("A gateway that accepts messages answers 200, and shows its parts only with the admin token")
    func ready() async throws {
        try await withGateway { gateway in
            let open = try await gateway.caller.send(.get, "/readyz")
            #expect(open.status == 200 && open.body == ["status": "ready"])
            #expect(open.headerFields[.cacheControl] == "no-store")
            let admin = try await gateway.ask("/readyz")
            #expect(admin.status == 200 && states(admin) == ["store": "ok", "disk": "ok", "lanes": "ok"])
            let wrong = try await gateway.caller.send(.get, "/readyz", headerFields: [.authorization: "Bearer wrong"])
            #expect(wrong.status == 401 && wrong.body["checks"] == nil)
        }
    }

    @Test("A gateway on a nearly full disk answers 503, and tells only the admin why")
    func fullDisk() async throws {
        try await withGateway(["data.minimumFreeBytes": "9000000000000000000"]) { gateway in
            let open = try await gateway.caller.send(.get, "/readyz")
            #expect(open.status == 503 && open.body == ["status": "unavailable"])
            let admin = try await gateway.ask("/readyz")
            #expect(admin.status == 503 && states(admin)["disk"] == "failed" && states(admin)["store"] == "ok")
            #expect(admin.text.contains("data.minimumFreeBytes"))
        }
    }

    @Test("A gateway with an app that is held up answers 200, and names the app and the reason")
    func heldLane() async throws {
        try await withSimulator { apns in
            let refusal = ScriptedAnswer(status: 400, reason: "BadTopic", count: nil)
            apns.simulator.script(token: nil, answers: [refusal])
            try await withGateway(["functions.codeagents.triggerWait": "5s"], simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: .randomToken())
                try await daemon.trigger()
                let answer = try await gateway.ask("/readyz")
                #expect(answer.status == 200 && states(answer)["lanes"] == "degraded")
                let problem = answer.body["checks"]?.array?.first { $0["name"] == "lanes" }?["problem"]?.string ?? ""
                #expect(problem.hasPrefix("held up: \(RunningSimulator.bundleID) since 20"), "\(problem)")
                #expect(problem.contains("UTC (BadTopic)"))
            }
        }
    }

    @Test("Cards that start without channels are shown to the admin and by doctor, with the app and the reason")
    func channels() async throws {
        try await withSimulator { apns in
            try await withGateway(["liveActivities.maximumChannels": "0"], simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let part: JSONValue = ["push_to_start_token": .string(.randomToken())]
                try await daemon.register("phone", token: .randomToken(), ["live_activity": part])
                _ = try await gateway.caller.call(
                    "updateReply", ["cwd": "/srv/app", "step": "One"], secret: daemon.secret)
                let started = try await apns.simulator.wait(for: 1)
                #expect(started.first?.payload?["aps"]?["input-push-token"] == 1)
                let answer = try await gateway.ask("/readyz")
                #expect(answer.status == 200 && states(answer)["channels"] == "degraded")
                #expect(answer.text.contains("\(RunningSimulator.bundleID) (near_limit) at 20"), "\(answer.text)")
                let configuration = try await GatewayConfiguration.read(
                    flags: ["data.directory": gateway.directory], environment: [:], file: nil)
                let doctor = Doctor(configuration, logger: gateway.log.logger)
                var warnings: [Finding] = []
                await doctor.examine(isOffline: true) {
                    if $0.part == "gateway", $0.severity != .ok { warnings.append($0) }
                }
                #expect(warnings.count == 1 && warnings.first?.severity == .warning)
                #expect(warnings.first?.fact.contains("near_limit") == true)
                #expect(warnings.first?.advice?.contains("pushgate channels list") == true)
            }
        }
    }

    @Test("Devices whose notifications cannot arrive are shown to the admin, in the console and by doctor")
    func devices() async throws {
        try await withSimulator { apns in
            try await withGateway(["functions.humantasks.enabled": "true"], simulator: apns) { gateway in
                try await Daemon(gateway.caller).register("phone", token: "cYzq1XkQTkmVsGMv2bQ4Lr:APA91bF")
                let device = try #require(HTTPField.Name("X-Device-ID"))
                let refused = try await gateway.caller.send(.get, "/api/hits", headerFields: [device: "elsewhere"])
                #expect(refused.status == 403)
                let answer = try await gateway.ask("/readyz")
                #expect(answer.status == 200 && states(answer)["devices"] == "degraded")
                #expect(answer.text.contains("codeagents: 1 registration of devices that no notification reaches"))
                #expect(answer.text.contains("humantasks: 1 request of devices that are not registered here"))
                let overview = try await ConsoleUser(gateway).get("/").text
                #expect(overview.contains("<strong>devices</strong>") && overview.contains("fcm.relay.serviceAccount"))
                let configuration = try await GatewayConfiguration.read(
                    flags: ["data.directory": gateway.directory], environment: [:], file: nil)
                let doctor = Doctor(configuration, logger: gateway.log.logger)
                var warnings: [Finding] = []
                await doctor.examine(isOffline: true) {
                    if $0.part == "gateway", $0.severity != .ok { warnings.append($0) }
                }
                #expect(warnings.count == 1 && warnings[0].severity == .warning)
                #expect(warnings.first?.fact.contains("Re-register") == true)
                #expect(gateway.log.lines.count { $0.contains("no notification reaches") } == 1)
            }
        }
    }

    @Test("A gateway without a certificate for a name yet answers 200, and names it")
    func missingCertificate() async throws {
        let settings = [
            "http.acme.domains": "push.example", "http.acme.directory": "https://127.0.0.1:1/directory",
            "http.tls.port": "0", "http.redirectPort": "0",
        ]
        try await withGateway(settings) { gateway in
            let answer = try await gateway.ask("/readyz")
            #expect(answer.status == 200 && states(answer)["certificates"] == "degraded")
            #expect(answer.text.contains("none yet for push.example"))
        }
    }
}

@Suite("Probe of the store", .timeLimit(.minutes(10)))
struct StoreProbeTests {
    private final class Count: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock(\.self) }
        func add() { count.withLock { $0 += 1 } }
    }

    private let clock = ManualClock()
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore(clock: clock) }

    private func probe(_ store: any DocumentStore) -> StoreProbe {
        StoreProbe(store, now: { [clock, start = ContinuousClock.now] in start + clock.now.offset })
    }

    @Test("Any number of questions make one write in five seconds")
    func frequency() async throws {
        let (observed, writes) = (ObservedStore(store.documents), Count())
        observed.set { $0.beforeCommit = { _ in writes.add() } }
        let probe = probe(observed)
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { await probe.problem() } }
            for await problem in group { #expect(problem == nil) }
        }
        #expect(writes.value == 1)
        clock.advance(by: .seconds(5))
        #expect(await probe.problem() == nil)
        #expect(writes.value == 2)
    }

    @Test("A failed write is the problem until the next one succeeds")
    func failure() async throws {
        let observed = ObservedStore(store.documents)
        observed.set {
            $0.beforeCommit = { _ throws(StoreError) in throw StoreError(.unavailable, "the disk is full") }
        }
        let probe = probe(observed)
        #expect(await probe.problem() == "the disk is full")
        observed.set { $0.beforeCommit = { _ in } }
        #expect(await probe.problem() == "the disk is full")
        clock.advance(by: .seconds(5))
        #expect(await probe.problem() == nil)
    }
}
