import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("pushgate webpush-service", .timeLimit(.minutes(10)))
struct WebPushServiceVerbTests {
    @Test("The service refuses as the named service does, logs the cause, and shows the request")
    func beApple() async throws {
        try await PushServiceProcess.running(["--be", "apple"]) { service in
            let subscription = try await service.subscribe("mozilla")
            let refused = try await service.client.execute(
                HTTPClientRequest(method: .post, url: subscription["endpoint"]?.string ?? ""))
            #expect(refused.statusCode == 403)
            #expect(try JSONValue(parsing: refused.body) == ["reason": "BadJwtToken"])
            try await eventually("the refusal is logged") { service.child.errorText.hasSuffix("\n") }
            let line = service.child.errorText
            #expect(line.contains("refused a message") && line.contains("authorization is missing"))
            #expect(!line.contains(subscription["token"]?.string ?? "-"))
            let shown = try await service.control(.get, "/notifications")
            #expect(shown["notifications"]?[0]?["cause"] == "authorization is missing")
        }
    }

    @Test("The service warns if it listens beyond loopback")
    func warning() async throws {
        try await PushServiceProcess.running(["--host", "0.0.0.0"]) { service in
            try await eventually("the warning is logged") { service.child.errorText.hasSuffix("\n") }
            let line = service.child.errorText
            #expect(line.contains("listening beyond loopback"))
            #expect(line.contains("--host") && !line.contains("--control-host"))
        }
    }

    /// Runs the verb with a program in place of a browser, and returns what that has written.
    private func launched(_ browser: String, program: String, script: String) async throws -> String {
        try await withTemporaryDirectory { folder in
            let path = folder + "/" + program
            try ("#!/bin/sh\n" + script).write(toFile: folder + "/script", atomically: true, encoding: .utf8)
            try await copyProgram(folder + "/script", to: path)
            let finished = try await PushgateProgram.run(
                ["webpush-service", "--launch", browser] + PushServiceProcess.ports
                    + ["--", "https://example.com/page"],
                environment: ["PATH": folder + ":/usr/bin:/bin", "BROWSER_LOG": folder + "/log"])
            #expect(finished.exitCode == 0, "\(finished.errors)")
            #expect(finished.output.contains("Push service      https://127.0.0.1:"))
            return try String(contentsOfFile: folder + "/log", encoding: .utf8)
        }
    }

    @Test("A launched Chromium gets its flags, its environment and a profile of its own, and the service ends with it")
    func chromium() async throws {
        let log = try await launched(
            "chromium", program: "chromium",
            script: #"{ printf '%s\n' "$@"; echo "key=$GOOGLE_API_KEY"; } >"$BROWSER_LOG""#)
        let lines = log.split(separator: "\n").map(String.init)
        for flag in ["--gcm-checkin-url=http://127.0.0.1:", "--gcm-registration-url=", "--gcm-mcs-endpoint=https://"] {
            #expect(lines.contains { $0.hasPrefix(flag) })
        }
        #expect(lines.contains { $0.hasPrefix("--ignore-certificate-errors-spki-list=") && $0.hasSuffix("=") })
        #expect(lines.suffix(2) == ["https://example.com/page", "key=x"])
        let profile = try #require(
            lines.first { $0.hasPrefix("--user-data-dir=") }?.dropFirst("--user-data-dir=".count))
        #expect(!FileManager.default.fileExists(atPath: String(profile)))
    }

    @Test("A launched Firefox finds its preferences in its profile")
    func firefox() async throws {
        let log = try await launched(
            "firefox", program: "firefox-esr", script: #"{ printf '%s\n' "$@"; cat "$3/user.js"; } >"$BROWSER_LOG""#)
        #expect(log.hasPrefix("--no-remote\n--profile\n/"))
        #expect(log.contains("https://example.com/page\nuser_pref(\"dom.push.serverURL\", \"ws://127.0.0.1:"))
    }

    @Test("A service that ends terminates its browser")
    func endOfBrowser() async throws {
        try await withTemporaryDirectory { folder in
            // Like Firefox, it does not change the mask of signals that it inherits.
            let script = "#!/bin/sh\necho $$ >\"$BROWSER_LOG\"\nexec sleep 10000\n"
            try script.write(toFile: folder + "/script", atomically: true, encoding: .utf8)
            try await copyProgram(folder + "/script", to: folder + "/firefox-esr")
            try await PushgateProgram.running(
                ["webpush-service", "--launch", "firefox"] + PushServiceProcess.ports,
                environment: ["PATH": folder + ":/usr/bin:/bin", "BROWSER_LOG": folder + "/log"]
            ) { child in
                let log = { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }
                try await eventually("the browser has started") { log().hasSuffix("\n") || !child.isRunning }
                let browser = try #require(Int32(log().dropLast()))
                child.send(signal: SIGTERM)
                let finished = try? await child.finish()
                let isLeft = kill(browser, 0) == 0
                if isLeft { kill(browser, SIGKILL) }
                #expect(!isLeft)
                #expect(finished?.exitCode == 0 && finished?.isSignalled == false, "\(child.errorText)")
            }
        }
    }

    @Test("A browser that is not installed is an error with the programs' names")
    func missingBrowser() async throws {
        try await withTemporaryDirectory { folder in
            let finished = try await PushgateProgram.run(
                ["webpush-service", "--launch", "firefox"] + PushServiceProcess.ports, environment: ["PATH": folder])
            #expect(finished.exitCode == 1)
            #expect(finished.errors.contains("found no firefox-esr and no firefox in PATH"))
        }
        let arguments = try await PushgateProgram.run(["webpush-service", "--", "https://example.com"])
        #expect(arguments.exitCode == 64)
    }
}
