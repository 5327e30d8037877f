import Foundation
import JSON
import TestDoubles
import Testing

/// Headless Firefox, driven by Marionette, which Firefox itself has. Debian has no geckodriver for WebDriver.
struct Firefox: DrivenBrowser {
    private let marionette: MarionetteConnection

    /// Runs a browser with a profile of its own for the body, and ends it afterwards, even if the body throws.
    ///
    /// - Parameter preferences: Names, and values in the form of `user.js`. The last value of a name counts.
    static func running<Output>(
        _ preferences: [(name: String, value: String)], environment: [String: String] = [:],
        _ body: (Firefox) async throws -> Output
    ) async throws -> Output {
        try await withTemporaryDirectory { profile in
            // Firefox chooses the port, and writes it into a file.
            let lines = (preferences + [(name: "marionette.port", value: "0")])
                .map { "user_pref(\"\($0.name)\", \($0.value));\n" }
            try lines.joined().write(toFile: profile + "/user.js", atomically: true, encoding: .utf8)
            return try await ChildProcess.running(
                try installed("firefox-esr", "firefox"),
                ["--headless", "--no-remote", "--marionette", "--profile", profile],
                environment: environment.merging(["HOME": profile]) { $1 }
            ) { process in
                try await eventually("Firefox listens") { port(in: profile) != nil || !process.isRunning }
                guard let port = port(in: profile) else { throw BrowserError(text: process.errorText) }
                return try await running(process, port, body)
            }
        }
    }

    private static func port(in profile: String) -> Int? {
        let text = try? String(contentsOfFile: profile + "/MarionetteActivePort", encoding: .utf8)
        return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    private static func running<Output>(
        _ process: ChildProcess, _ port: Int, _ body: (Firefox) async throws -> Output
    ) async throws -> Output {
        let marionette = try await MarionetteConnection.open(port: port)
        let result: Result<Output, any Error>
        do {
            // The answer comes when Firefox has finished its start. A page that subscribes before waits for ever.
            _ = try await marionette.call("WebDriver:NewSession", [:])
            result = .success(try await body(Firefox(marionette: marionette)))
        } catch {
            result = .failure(error)
        }
        // The processes of the pages write into the profile until they have ended.
        _ = try? await marionette.call("Marionette:Quit", ["flags": ["eForceQuit"]])
        _ = try? await process.finish()
        await marionette.close()
        return try result.get()
    }

    func open(_ url: String) async throws { _ = try await marionette.call("WebDriver:Navigate", ["url": .string(url)]) }

    func click(_ selector: String) async throws {
        let found = try await marionette.call(
            "WebDriver:FindElement", ["using": "css selector", "value": .string(selector)])
        let id = found["value"]?.object?.members.first?.value ?? .null
        _ = try await marionette.call("WebDriver:ElementClick", ["id": id])
    }

    func evaluate(_ script: String) async throws -> JSONValue {
        let result = try await marionette.call("WebDriver:ExecuteScript", ["script": .string(script), "args": []])
        return result["value"] ?? .null
    }
}
