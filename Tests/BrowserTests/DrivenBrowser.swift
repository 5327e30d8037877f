import Foundation
import JSON
import TestDoubles
import Testing

/// A browser that a test drives as a visitor does.
protocol DrivenBrowser: Sendable {
    func open(_ url: String) async throws
    func click(_ selector: String) async throws
    /// Returns the result of a function body that runs in the page.
    func evaluate(_ script: String) async throws -> JSONValue
}

extension DrivenBrowser {
    func wait(until condition: String) async throws {
        try await eventually("\(condition)") { try await evaluate("return !!(\(condition))") == true }
    }
}

/// Returns the path of the first of the programs that is installed.
func installed(_ programs: String...) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    let paths = programs.flatMap { program in folders.map { "\($0)/\(program)" } }
    guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
        throw BrowserError(
            text: """
                there is no \(programs.joined(separator: " and no ")): `make test-packages` installs it, or as root \
                `apt-get install chromium chromium-driver firefox-esr`
                """)
    }
    return path
}

/// An error of the browser, with its cause.
struct BrowserError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
