import HTTP2Client
import Settings
import Testing

@testable import Gateway

@Suite("Proxy for APNs")
struct ProxySettingsTests {
    private static let app = [
        "apns.keyPath": "k", "apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ", "apns.bundleId": "b",
    ]

    private func proxy(_ setting: String? = nil, _ environment: [String: String] = [:]) async throws -> ProxyRule? {
        var flags = Self.app
        flags["apns.proxy"] = setting
        return try await GatewayConfiguration.read(flags: flags, environment: environment, file: nil)[
            APNsService.self]?.proxy
    }

    private func expect(
        _ setting: String? = nil, _ environment: [String: String] = [:], is rule: ProxyRule,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await proxy(setting, environment)
        #expect(found == rule, sourceLocation: sourceLocation)
    }

    private func rule(_ host: String, except hosts: String = "") throws -> ProxyRule {
        ProxyRule(try HTTPProxy("http://\(host):3128"), except: NoProxyList(hosts))
    }

    @Test("The environment names the proxy if no setting does, in lower case first")
    func environment() async throws {
        let (a, b) = (try rule("a"), try rule("b"))
        try await expect(is: .direct)
        try await expect(nil, ["HTTPS_PROXY": "http://a:3128"], is: a)
        try await expect(nil, ["HTTPS_PROXY": "http://a:3128", "https_proxy": "b:3128"], is: b)
        try await expect(nil, ["HTTPS_PROXY": "http://a:3128", "https_proxy": ""], is: a)
        try await expect(nil, ["http_proxy": "http://a:3128", "ALL_PROXY": "http://a:3128"], is: .direct)
    }

    @Test("The proxy setting has precedence over the environment, and an empty one means no proxy")
    func setting() async throws {
        let (b, c) = (try rule("b"), try rule("c"))
        let environment = ["https_proxy": "http://a:3128"]
        try await expect("http://b:3128", environment, is: b)
        try await expect("", environment, is: .direct)
        let variables = environment.merging(["PUSHGATE_APNS_PROXY": "http://c:3128"]) { $1 }
        try await expect(nil, variables, is: c)
        try await expect("", variables, is: .direct)
        try await expect(nil, environment.merging(["PUSHGATE_APNS_PROXY": ""]) { $1 }, is: .direct)
    }

    @Test("The hosts without a proxy apply to a proxy of the setting and of the environment")
    func exceptions() async throws {
        let (x, y) = (try rule("a", except: "x"), try rule("a", except: "y"))
        try await expect("a:3128", ["NO_PROXY": "x"], is: x)
        try await expect("a:3128", ["NO_PROXY": "x", "no_proxy": "y"], is: y)
        #expect(
            try await proxy(nil, ["https_proxy": "a:3128", "no_proxy": "", "NO_PROXY": "x"]) == x)
    }

    @Test("An invalid proxy URL stops the start with the name of its source, and is not shown")
    func mistakes() async throws {
        let bad = "socks5://user:s3cret@proxy:1080"
        let error = await #expect(throws: ConfigurationError.self) { try await proxy(bad) }
        #expect(error?.key == "apns.proxy" && error?.problem.contains("http://proxy.example:3128") == true)
        for name in ["https_proxy", "HTTPS_PROXY"] {
            let error = await #expect(throws: ConfigurationError.self) { try await proxy(nil, [name: bad]) }
            #expect(error?.key == name && error?.problem.contains("apns.proxy") == true)
            #expect(error?.description.contains("s3cret") == false)
            try await expect("", [name: bad], is: .direct)
        }
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("Without an app an invalid proxy of the environment is ignored, and an invalid setting is refused")
    func emulator() async throws {
        let configuration = try await GatewayConfiguration.read(
            flags: [:], environment: ["https_proxy": "socks5://a"], file: nil)
        #expect(configuration[APNsService.self] == nil)
        await #expect(throws: ConfigurationError.self) {
            try await GatewayConfiguration.read(flags: ["apns.proxy": "socks5://a"], environment: [:], file: nil)
        }
    }

    @Test("A configuration does not show the proxy's password, and a flag with one is secret")
    func redaction() async throws {
        let url = "http://user:s3cret@proxy.example:3128"
        let configuration = try await GatewayConfiguration.read(
            flags: Self.app.merging(["apns.proxy": url]) { $1 }, environment: [:], file: nil)
        var text = "\(configuration)"
        dump(configuration, to: &text)
        #expect(text.contains("proxy.example") && !text.contains("s3cret"))
        #expect(SettingTable.available.isSecret("apns.proxy", url))
        #expect(!SettingTable.available.isSecret("apns.proxy", "http://proxy.example:3128"))
    }
}
