import ArgumentParser
import Foundation
import Fuzzing
import TestBasics

/// Fuzzes a gateway: one that it starts, or one that already runs.
@main
struct Fuzz: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Fuzz", abstract: "Send invalid requests to a gateway, and report its faults.",
        discussion: """
            Starts `pushgate serve` with all its systems and listeners, first as an emulator, then with credentials for an \
            APNs simulator; or uses a running gateway (--port). Exits with 1 if there is a finding. A finding includes the \
            options that repeat it; the bytes that were sent are stored in .build/fuzz.
            """)

    @Option(help: "The seed of the requests. It is printed; the default is random.")
    var seed: UInt64 = .random(in: 1...999_999)

    @Option(help: "The number of requests.")
    var requests: Int?

    @Option(help: "The length of the run in seconds (60, unless --requests is given).")
    var seconds: Int?

    @Option(help: "The number of the only case to send, to repeat a finding.")
    var only: Int?

    @Option(help: "The mode of the gateway: emulator or delivering. The default is both, one after the other.")
    var mode: GatewayMode?

    @Option(help: "The number of concurrent connections.")
    var lanes = 16

    @Option(help: "The time limit for an answer, in seconds.")
    var patience = 15

    @Option(help: "The path of the gateway's program.")
    var gateway = ".build/release/pushgate"

    @Option(help: "The port of a gateway that already runs on this machine. The run fills it with useless data.")
    var port: Int?

    @Option(help: "The port of that gateway's TLS listener.")
    var tlsPort: Int?

    @Option(help: "The port of that gateway's proxy.")
    var proxyPort: Int?

    @Option(
        help: ArgumentHelp(
            """
            A key of that gateway, as admin=TOKEN; also agentSecret, runsKey, turnsKey, sessionsKey, accessToken, \
            relayAddress with relaySecret.
            """))
    var value: [String] = []

    @Flag(help: "Print the number of answers by route and status.")
    var table = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        raiseDescriptorLimit()
        say("seed \(seed)")
        var isClean = true
        if let port {
            let target = FuzzTarget(port: port, tlsPort: tlsPort, proxyPort: proxyPort)
            let world = World(GatewayKeys(seed: seed).values.merging(try givenValues()) { $1 })
            isClean = try report(try await fuzzer(target, world, GatewayWatch()).run())
        } else {
            let modes = mode.map { [$0] } ?? GatewayMode.allCases
            for mode in modes { isClean = try await fuzz(mode, share: modes.count) && isClean }
        }
        guard isClean else { throw ExitCode(1) }
    }

    // MARK: Runs

    private func fuzz(_ mode: GatewayMode, share: Int) async throws -> Bool {
        say("\n\(mode.rawValue):")
        let result = try await FuzzedGateway.running(gateway, mode, seed: seed) { gateway in
            try await fuzzer(gateway.target, gateway.world, gateway.watch, mode, share: share).run()
        }
        for finding in result.findings where only == nil {
            for suspect in finding.suspects { try await narrow(to: suspect, mode) }
        }
        return try report(result, mode)
    }

    /// Plays a suspect case alone.
    private func narrow(to suspect: Finding.Suspect, _ mode: GatewayMode) async throws {
        let result = try await FuzzedGateway.running(gateway, mode, seed: seed) { gateway in
            try await fuzzer(gateway.target, gateway.world, gateway.watch, mode, only: suspect.number).run()
        }
        guard result.findings.contains(where: { $0.fault.kind == .crash }) else { return }
        let path = try keep(suspect.bytes, "crash-\(mode.rawValue)-\(seed)-\(suspect.number)")
        print(
            "✘ case \(suspect.number) alone ends the gateway: --mode \(mode.rawValue) --seed \(seed) --only \(suspect.number)"
        )
        print("  sent: \(path)")
    }

    private func fuzzer(
        _ target: FuzzTarget, _ world: World, _ watch: GatewayWatch, _ mode: GatewayMode? = nil, share: Int = 1,
        only: Int? = nil
    ) throws -> Fuzzer {
        var configuration = FuzzConfiguration(seed: seed, requests: requests.map { $0 / share } ?? .max)
        configuration.time =
            seconds.map { Duration.seconds($0 / share) } ?? (requests == nil ? .seconds(60 / share) : nil)
        configuration.label = mode.map { "--mode \($0.rawValue)" } ?? ""
        configuration.only = only ?? self.only
        configuration.lanes = lanes
        configuration.patience = .seconds(patience)
        return try Fuzzer(configuration, target: target, world: world, watch: watch)
    }

    /// Prints a text immediately, also to a pipe.
    private func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    private func givenValues() throws -> [String: [String]] {
        var values: [String: [String]] = [:]
        for pair in value {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("--value takes NAME=VALUE, not \(pair)") }
            values[parts[0], default: []].append(parts[1])
        }
        return values
    }

    // MARK: Results

    private func report(_ report: FuzzReport, _ mode: GatewayMode? = nil) throws -> Bool {
        if table { print(report.table) }
        for finding in report.findings where !finding.bytes.isEmpty {
            _ = try keep(finding.bytes, "\(mode?.rawValue ?? "there")-\(seed)-\(finding.number ?? 0)")
        }
        print(report)
        return report.findings.isEmpty
    }

    private func keep(_ bytes: [UInt8], _ name: String) throws -> String {
        let folder = ".build/fuzz"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(name).bin"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// The mode in which a gateway is served.
enum GatewayMode: String, CaseIterable, ExpressibleByArgument {
    /// The gateway sends nothing, and accepts every caller.
    case emulator
    /// The gateway delivers to an APNs simulator, and requires access tokens.
    case delivering
}
