import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// Headless Chromium, driven over WebDriver (https://www.w3.org/TR/webdriver2/) by chromedriver.
struct Browser: DrivenBrowser {
    /// The size of a screen.
    struct Screen: Sendable, CustomTestStringConvertible, CustomStringConvertible {
        let width: Int
        let height: Int
        let isPhone: Bool

        static let phone = Screen(width: 390, height: 844, isPhone: true)
        static let desktop = Screen(width: 1_280, height: 800, isPhone: false)

        var testDescription: String { "\(width) by \(height)" }
        /// For names of files.
        var description: String { "\(width)x\(height)" }
    }

    /// Settings of a browser in addition to those of every test.
    struct Options: Sendable {
        var flags: [String] = []
        var environment: [String: String] = [:]
        /// Flags of chromedriver's own, without the hyphens, that are left out.
        var excludedFlags: [String] = []
    }

    private let client: HTTPClient
    private let session: String

    /// Runs a browser for the body, and ends it afterwards, even if the body throws.
    static func running<Output>(
        _ screen: Screen, _ options: Options = Options(), _ body: (Browser) async throws -> Output
    ) async throws -> Output {
        while true {
            if let output = try await runningOnce(screen, options, body) { return output }
        }
    }

    /// - Returns: `nil` if the port that chromedriver chose for IPv6 was taken for IPv4.
    private static func runningOnce<Output>(
        _ screen: Screen, _ options: Options, _ body: (Browser) async throws -> Output
    ) async throws -> Output? {
        let browser = try installed("chromium")
        return try await ChildProcess.running(
            try installed("chromedriver"), ["--port=0"], environment: options.environment
        ) { driver in
            try await eventually("chromedriver listens") { port(of: driver) != nil || !driver.isRunning }
            guard let port = port(of: driver) else {
                let text = driver.outputText + driver.errorText
                guard text.contains("port not available") else { throw BrowserError(text: text) }
                return nil
            }
            var configuration = HTTPClient.Configuration()
            configuration.maximumResponseBytes = 64 << 20
            return try await withHTTPClient(configuration) { client in
                try await running(screen, options, on: "http://127.0.0.1:\(port)", browser, client, body)
            }
        }
    }

    private static func running<Output>(
        _ screen: Screen, _ options: Options, on driver: String, _ executable: String, _ client: HTTPClient,
        _ body: (Browser) async throws -> Output
    ) async throws -> Output {
        // Chromium refuses to run as root with its sandbox.
        let flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"]
        let chromeOptions: JSONValue = [
            "binary": .string(executable), "args": .array((flags + options.flags).map(JSONValue.string)),
            "excludeSwitches": .array(options.excludedFlags.map(JSONValue.string)),
        ]
        let capabilities: JSONValue = [
            "browserName": "chrome", "goog:chromeOptions": chromeOptions, "goog:loggingPrefs": ["browser": "ALL"],
        ]
        let made = try await call(
            client, .post, driver + "/session", ["capabilities": ["alwaysMatch": capabilities]])
        guard let id = made["sessionId"]?.string else { throw BrowserError(text: made.text) }
        let browser = Browser(client: client, session: driver + "/session/" + id)
        let result: Result<Output, any Error>
        do {
            try await browser.use(screen)
            result = .success(try await body(browser))
        } catch {
            result = .failure(error)
        }
        _ = try await call(client, .delete, browser.session, nil)
        return try result.get()
    }

    private static func port(of driver: ChildProcess) -> Int? {
        driver.outputText.firstMatch(of: /started successfully on port ([0-9]+)\./).flatMap { Int($0.1) }
    }

    // MARK: Actions of a visitor

    func open(_ url: String) async throws { _ = try await command("/url", ["url": .string(url)]) }

    func click(_ selector: String) async throws { _ = try await command("/element/\(element(selector))/click", [:]) }

    /// Types into a field; for a file field the text is a path.
    func type(_ text: String, into selector: String) async throws {
        _ = try await command("/element/\(element(selector))/value", ["text": .string(text)])
    }

    func clear(_ selector: String) async throws { _ = try await command("/element/\(element(selector))/clear", [:]) }

    private func element(_ selector: String) async throws -> String {
        let found = try await command("/element", ["using": "css selector", "value": .string(selector)])
        return found.object?.members.first?.value.string ?? ""
    }

    // MARK: State of the page

    func evaluate(_ script: String) async throws -> JSONValue {
        try await command("/execute/sync", ["script": .string(script), "args": []])
    }

    /// Returns the console's messages since the last call, without those for failed requests.
    func complaints() async throws -> [String] {
        let entries = try await command("/se/log", ["type": "browser"]).array ?? []
        return entries.filter { $0["source"] != "network" }.compactMap { $0["message"]?.string }
    }

    // MARK: Display

    func use(_ screen: Screen) async throws {
        _ = try await devTools(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(Int64(screen.width)), "height": .integer(Int64(screen.height)),
                "deviceScaleFactor": screen.isPhone ? 2 : 1, "mobile": .bool(screen.isPhone),
            ])
    }

    /// Sets the colour scheme, without transitions, so that colours are final.
    func use(dark isDark: Bool) async throws {
        let features: JSONValue = [
            ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
            ["name": "prefers-reduced-motion", "value": "reduce"],
        ]
        _ = try await devTools("Emulation.setEmulatedMedia", ["features": features])
    }

    /// Sets the language that the browser asks for.
    func use(language: String) async throws {
        let agent = try await evaluate("return navigator.userAgent")
        _ = try await devTools(
            "Emulation.setUserAgentOverride", ["userAgent": agent, "acceptLanguage": .string(language)])
    }

    /// Sets the time zone of pages that are loaded from now on.
    func use(timeZone name: String) async throws {
        _ = try await devTools("Emulation.setTimezoneOverride", ["timezoneId": .string(name)])
    }

    func use(scripts isOn: Bool) async throws {
        _ = try await devTools("Emulation.setScriptExecutionDisabled", ["value": .bool(!isOn)])
    }

    /// Grants a permission to the pages of an origin, until the browser ends.
    func grant(_ permission: String, to origin: String) async throws {
        _ = try await devTools(
            "Browser.grantPermissions", ["origin": .string(origin), "permissions": [.string(permission)]])
    }

    /// Adds header fields to the requests of pages, until the browser ends.
    func add(headerFields: JSONObject) async throws {
        _ = try await devTools("Network.enable", [:])
        _ = try await devTools("Network.setExtraHTTPHeaders", ["headers": .object(headerFields)])
    }

    /// Runs the body, in which each page that is opened has run a script before its own ones.
    func running<Output>(_ script: String, before body: () async throws -> Output) async throws -> Output {
        let made = try await devTools("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
        let output = try await body()
        _ = try await devTools(
            "Page.removeScriptToEvaluateOnNewDocument", ["identifier": made["identifier"] ?? .null])
        return output
    }

    /// Returns a real JPEG: a screenshot.
    func picture() async throws -> [UInt8] {
        let shot = try await devTools("Page.captureScreenshot", ["format": "jpeg", "quality": 90])
        return Array(Data(base64Encoded: shot["data"]?.string ?? "") ?? Data())
    }

    /// Saves a screenshot of the whole page in the folder of the variable `SCREENSHOTS`, if it is set, for review.
    func keepScreenshot(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["SCREENSHOTS"] else { return }
        let shot = try await devTools("Page.captureScreenshot", ["format": "png", "captureBeyondViewport": true])
        let file = URL(fileURLWithPath: folder).appendingPathComponent("\(name).png")
        try Data(base64Encoded: shot["data"]?.string ?? "")?.write(to: file)
    }

    private func devTools(_ command: String, _ parameters: JSONValue) async throws -> JSONValue {
        try await self.command("/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }

    private func command(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        try await Self.call(client, .post, session + path, body)
    }

    private static func call(
        _ client: HTTPClient, _ method: HTTPRequest.Method, _ url: String, _ body: JSONValue?
    ) async throws -> JSONValue {
        let response = try await client.execute(
            HTTPClientRequest(
                method: method, url: url, headerFields: [.contentType: "application/json"],
                body: body?.serialized ?? [], deadline: .patience, version: .http1))
        let answer = try JSONValue(parsing: response.body)["value"] ?? .null
        guard response.statusCode == 200 else { throw BrowserError(text: answer["message"]?.string ?? answer.text) }
        return answer
    }
}
