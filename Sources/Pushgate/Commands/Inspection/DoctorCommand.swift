import ArgumentParser
import Foundation
import Gateway
import JSON
import Logging
import Settings

/// The verb `doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine the settings, the files, the machine and the ways to Apple and Google.",
        discussion: """
            Takes the options of “serve”, and the same environment: run it as the gateway's user, on its machine, whether \
            the gateway runs or not. It changes nothing. To Apple it sends one notification for each app, to a device \
            that cannot exist: the answer shows if the key is accepted. Exits with 1 if something does not work.
            """)

    @OptionGroup var options: ConfigurationOptions

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
            let configuration = try await options.reader()()
            let doctor = Doctor(
                configuration, environment: ProcessInfo.processInfo.environment, logger: .silentUnlessAsked)
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
