import ArgumentParser
import Foundation
import ServiceLifecycle
import WebPushService

/// A browser that is led to a push service, with a profile of its own.
struct LaunchedBrowser: Service {
    /// A browser.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case firefox, chromium

        /// The names of its programs, the first one that is installed counts.
        fileprivate var programs: [String] {
            switch self {
            case .firefox: ["firefox-esr", "firefox"]
            case .chromium: ["chromium", "chromium-browser", "google-chrome"]
            }
        }
    }

    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    private let profile: String
    /// `true` if the profile was made for this run only.
    private let isTemporary: Bool

    /// Makes the profile.
    ///
    /// - Parameters:
    ///   - dataDirectory: The folder in which the profile stays; `nil` for a temporary one.
    ///   - arguments: Further arguments of the browser.
    init(
        _ kind: Kind, _ addresses: LocalPushServiceAddresses, dataDirectory: String?, arguments: [String]
    ) throws {
        program = try Self.find(kind)
        isTemporary = dataDirectory == nil
        profile =
            dataDirectory.map { URL(fileURLWithPath: $0).appendingPathComponent(kind.rawValue).path }
            ?? NSTemporaryDirectory() + "pushgate-\(kind.rawValue)-" + UUID().uuidString.lowercased()
        try FileManager.default.createDirectory(
            atPath: profile, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        switch kind {
        case .firefox:
            try addresses.firefoxUserJS.write(toFile: profile + "/user.js", atomically: true, encoding: .utf8)
            self.arguments = ["--no-remote", "--profile", profile] + arguments
            environment = [:]
        case .chromium:
            // Chromium refuses to run as root with its sandbox.
            let asRoot = geteuid() == 0 ? ["--no-sandbox"] : []
            self.arguments =
                ["--user-data-dir=\(profile)", "--no-first-run", "--no-default-browser-check"]
                + addresses.chromiumFlags + asRoot + arguments
            environment = Dictionary(addresses.chromiumEnvironment.map { ($0.name, $0.value) }) { $1 }
        }
    }

    private static func find(_ kind: Kind) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        for program in kind.programs {
            for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)") {
                return "\(folder)/\(program)"
            }
        }
        throw CommandError(
            "found no \(kind.programs.joined(separator: " and no ")) in PATH; install one, or start the browser by hand"
        )
    }

    /// Runs the browser until it ends, or until the surrounding group shuts down.
    func run() async throws {
        defer { if isTemporary { try? FileManager.default.removeItem(atPath: profile) } }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in continuation.finish() }
        do { try Self.start(process) } catch {
            throw CommandError("could not start \(program): \(error.localizedDescription)")
        }
        await withGracefulShutdownHandler {
            for await _ in end {}
        } onGracefulShutdown: {
            continuation.finish()
        }
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Starts a process that receives signals. It inherits the mask of this thread, and the threads of Dispatch block
    /// nearly all signals: Firefox would never see SIGTERM.
    private static func start(_ process: Process) throws {
        var none = sigset_t()
        var former = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try process.run()
    }
}
