import TestSupport
import Testing

/// Copies a program in a process of its own, as children of other tests would inherit a file that this process
/// writes, and keep it busy.
func copyProgram(_ source: String, to copy: String) async throws {
    let install = try await ChildProcess.running("/usr/bin/install", ["-m", "755", source, copy]) {
        try await $0.finish()
    }
    try #require(install.exitCode == 0, "\(install.errors)")
}
