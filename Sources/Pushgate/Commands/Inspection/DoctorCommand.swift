import ArgumentParser
import Foundation
import Gateway
import Instance
import JSON
import Logging
import Messaging
import Settings

/// The verb `doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine the settings, the files, the machine and the ways to push services.",
        discussion: """
            Takes the options of “serve”, and the same environment: run it on the gateway's machine, as its user or as \
            root, whether the gateway runs or not. Under systemd, “sudo pushgate doctor --unit pushgate” takes both \
            from the unit, with its groups. It changes nothing. To Apple it sends one notification for each app, to a \
            device that cannot exist: the answer shows if the key is accepted. Exits with 1 if something does not work.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "The unit of systemd that runs the gateway, such as pushgate: examine it with its options. For root.",
            valueName: "UNIT"))
    var unit: String?

    @Flag(help: "Make no connection to other machines.")
    var offline = false

    @Flag(help: "Print each finding as a line of JSON, for programs.")
    var json = false

    func run() async throws {
        var counts: [Finding.Severity: Int] = [:]
        func report(_ finding: Finding) {
            counts[finding.severity, default: 0] += 1
            print(json ? finding.json.text : finding.text)
        }
        do {
            let (options, environment, groups) =
                try unit.map(surroundings) ?? (options, ProcessInfo.processInfo.environment, ServiceGroups())
            let configuration = try await options.reader(environment: environment)()
            // The doctor finds the rights that the gateway's user lacks.
            let owner = DataDirectory(existing: configuration.data.absoluteDirectory).owner
            let doctor = Doctor(
                configuration, hasChangedUser: owner.become(with: groups), logger: .silentUnlessAsked)
            await doctor.examine(isOffline: offline, report)
        } catch let error as ConfigurationError {
            report(
                .failed(
                    "settings", "\(error)", because: "The gateway does not start.",
                    advice: "Correct the setting; docs/configuration.md describes each."))
        }
        let (warnings, failures) = (counts[.warning] ?? 0, counts[.failed] ?? 0)
        if !json { print("\n\(Self.text(warnings, "warning")), \(Self.text(failures, "failure"))") }
        if failures > 0 { throw ExitCode(1) }
    }

    /// Returns the options, the environment and the groups that a unit gives its gateway.
    private func surroundings(of unit: String) throws -> (ConfigurationOptions, [String: String], ServiceGroups) {
        guard geteuid() == 0 else {
            throw CommandError("only root can read the secrets of the unit \(unit): run it with sudo.")
        }
        let properties = SystemdUnit.properties.joined(separator: ",")
        let shown = try Self.output(of: "systemctl", ["show", "--property=\(properties)", "--", unit])
        guard let unit = SystemdUnit(shown) else {
            throw CommandError("there is no unit \(unit). “systemctl list-units” lists them.")
        }
        guard unit.arguments.first == "serve",
            let options = try? ConfigurationOptions.parse(Array(unit.arguments.dropFirst()))
        else { throw CommandError("the unit does not run “pushgate serve”.") }
        return (
            options, unit.environment { try? String(contentsOfFile: $0, encoding: .utf8) },
            ServiceGroups(primary: unit.group, supplementary: unit.supplementaryGroups)
        )
    }

    private static func output(of program: String, _ arguments: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
        do {
            try process.run()
        } catch {
            throw CommandError("cannot run \(program): \(error.localizedDescription)")
        }
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    private static func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

extension Finding {
    /// The finding for a terminal, with the reason and the advice on lines of their own.
    fileprivate var text: String {
        let mark =
            switch severity {
            case .ok: "ok      "
            case .warning: "warning "
            case .failed: "FAILED  "
            }
        let details = [reason, advice.map { "→ \($0)" }].compactMap(\.self).map { "\n          \($0)" }
        return "\(mark)  \(part): \(fact)" + details.joined()
    }
}

extension Logger {
    /// A logger for a verb that prints its results itself.
    fileprivate static var silentUnlessAsked: Logger {
        Logger(label: "pushgate.doctor") { _ in SwiftLogNoOpLogHandler() }
    }
}
