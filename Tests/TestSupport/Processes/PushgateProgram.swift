import Foundation

/// The program that was built together with the tests.
package enum PushgateProgram {
    /// The path, beside the test bundle.
    package static var path: String {
        let bundle = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }?.bundleURL
        let executable = URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        return (bundle ?? executable).deletingLastPathComponent().appending(path: "pushgate").path
    }

    /// Starts the program for the body, without this process's settings, and ends it even if the body throws.
    package static func running<Output>(
        _ arguments: [String], environment: [String: String] = [:], descriptors: String? = nil,
        _ body: (ChildProcess) async throws -> Output
    ) async throws -> Output {
        guard let descriptors else {
            return try await ChildProcess.running(path, arguments, environment: environment, body)
        }
        let script = "ulimit \(descriptors) && exec \"$0\" \"$@\""
        return try await ChildProcess.running(
            "/bin/sh", ["-c", script, path] + arguments, environment: environment, body)
    }

    /// Runs the program and waits for its end.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> FinishedProcess {
        try await running(arguments, environment: environment) { child in try await child.finish() }
    }

    /// Starts the program for the body with `folder` as working directory.
    package static func running<Output>(
        inFolder folder: String, _ arguments: [String], environment: [String: String] = [:],
        _ body: (ChildProcess) async throws -> Output
    ) async throws -> Output {
        let script = "cd \"$0\" && exec \"$@\""
        return try await ChildProcess.running(
            "/bin/sh", ["-c", script, folder, path] + arguments, environment: environment, body)
    }
}
