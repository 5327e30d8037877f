import APNsSimulator
import Foundation
import Fuzzing
import GameSiteStandIn
import Logging
import TestBasics

/// `pushgate serve` in a process of its own, with every system enabled and every listener open. The game site and
/// the APNs simulator run in this process.
struct FuzzedGateway {
    let target: FuzzTarget
    let world: World
    let watch: GatewayWatch

    /// Runs a gateway for the body, and ends it afterwards.
    static func running<Output: Sendable>(
        _ program: String, _ mode: GatewayMode, seed: UInt64, _ body: (FuzzedGateway) async throws -> Output
    ) async throws -> Output {
        try await withTemporaryDirectory { folder in
            try await withSite { site in
                let keys = GatewayKeys(seed: seed)
                let settings = keys.settings(site: site).merging(["data.directory": folder + "/data"]) { $1 }
                guard mode == .delivering else { return try await running(program, settings, keys.values, body) }
                return try await withSimulator { apns in
                    // The hosts of the browsers' subscriptions, and of relays, do not exist.
                    let others = ["webpush.subject": "mailto:ops@pushgate.dev", "relay.hosts": "*"]
                    let all = settings.merging(apns) { $1 }.merging(others) { $1 }
                    let account = try await FuzzAccount(program, directory: folder + "/data")
                    let values = keys.values.merging(["assertion": [try account.assertion()]]) { $1 }
                    return try await running(program, all, values, body)
                }
            }
        }
    }

    private static func running<Output>(
        _ program: String, _ settings: [String: String], _ values: [String: [String]],
        _ body: (FuzzedGateway) async throws -> Output
    ) async throws -> Output {
        try await ChildProcess.running(program, ["serve"] + arguments(settings)) { child in
            let url = try await child.servedAddress()
            let values = values.merging(try await FuzzPhone.values(at: url)) { $1 }
            let target = FuzzTarget(
                port: port(url), tlsPort: child.address("over TLS").map(port),
                proxyPort: child.address("proxy").map(port))
            return try await body(FuzzedGateway(target: target, world: World(values), watch: watch(of: child)))
        }
    }

    static func arguments(_ settings: [String: String]) -> [String] {
        settings.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }

    private static func port(_ url: String) -> Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    private static func watch(of child: ChildProcess) -> GatewayWatch {
        var watch = GatewayWatch()
        watch.vitals = { Vitals(of: child.id) }
        watch.errorLines = { lines(of: child).filter(\.isError).prefix(10).map(\.summary) }
        watch.forgedLines = { lines(of: child).filter(\.isForged).prefix(10).map(\.summary) }
        return watch
    }

    private static func lines(of child: ChildProcess) -> [LogLine] {
        child.errorText.split(separator: "\n")
            // The simulator does not know the random tokens, and the gateway has to log that.
            .filter { !$0.contains("keeping registrations whose tokens the push service does not know") }
            .map(LogLine.init)
    }

    // MARK: Surroundings

    private static func withSite<Output: Sendable>(_ body: (String) async throws -> Output) async throws -> Output {
        let site = GameSiteStandIn()
        let (urls, continuation) = AsyncStream.makeStream(of: String.self)
        var logger = Logger(label: "site")
        logger.logLevel = .critical
        return try await withThrowingTaskGroup(of: Void.self) { [logger] group in
            group.addTask { try await site.serve(logger: logger) { continuation.yield($0) } }
            defer { group.cancelAll() }
            for await url in urls { return try await body(url) }
            throw CancellationError()
        }
    }

    private static func withSimulator<Output>(_ body: ([String: String]) async throws -> Output) async throws -> Output
    {
        let simulator = APNsSimulator(configuration: APNsSimulatorConfiguration())
        let addresses = try await simulator.start()
        let settings = [
            "apns.endpoint": addresses.apns, "apns.caFile": addresses.certificateAuthorityPath,
            "apns.keyPath": addresses.providerKeyPath ?? "", "apns.keyId": addresses.providerKeyID ?? "",
            "apns.teamId": addresses.providerTeamID ?? "", "apns.bundleId": "com.example.agents",
        ]
        do {
            let output = try await body(settings)
            await simulator.shutdown()
            return output
        } catch {
            await simulator.shutdown()
            throw error
        }
    }
}

extension Vitals {
    /// Reads the resources of a process; `nil` without `/proc`.
    init?(of process: Int32) {
        let folder = "/proc/\(process)"
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count,
            let text = try? String(contentsOfFile: folder + "/statm", encoding: .ascii),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        self.init(residentBytes: pages * Int(sysconf(Int32(_SC_PAGESIZE))), descriptors: descriptors)
    }
}
