import Cryptography
import Settings
import Testing

@testable import WebPush

@Suite("Settings of Web Push")
struct WebPushSettingsTests {
    private func settings(_ values: [String: String]) throws -> WebPushSettings? {
        try WebPushSettings(SettingsReader(text: { values[$0] }).below("webpush."), apps: [])
    }

    @Test("The operator's address switches Web Push on, with the documented defaults")
    func defaults() throws {
        #expect(try settings([:]) == nil)
        let on = try #require(try settings(["webpush.subject": "mailto:ops@pushgate.dev"]))
        #expect(on.subject == "mailto:ops@pushgate.dev" && on.written.payload == .declarative)
        #expect(on.written.allowedPorts == [443] && on.written.allowedHosts.isEmpty && on.connectTo.isEmpty)
        #expect(on.authorityFile == nil && on.trustsSystem)
    }

    @Test(
        "A setting without the operator's address is a mistake",
        arguments: [
            ("privateKey", "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), ("caFile", "a.pem"),
            ("navigate", "https://app.example/"), ("payload", "data"), ("allowedHosts", "ntfy.lan"),
            ("allowedPorts", "8443"), ("connectTo", "a.example=127.0.0.1"),
        ])
    func alone(key: String, value: String) {
        let error = #expect(throws: ConfigurationError.self) { try settings(["webpush.\(key)": value]) }
        #expect(error?.key == "webpush.subject")
        #expect(error?.problem == "is missing; webpush.\(key) has no effect without it")
    }

    @Test("An error about the private key does not show it", arguments: ["hunter2-hunter2", "aHVudGVyMg"])
    func secrecy(key: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try settings(["webpush.subject": "mailto:ops@pushgate.dev", "webpush.privateKey": key])
        }
        #expect(error?.key == "webpush.privateKey" && error?.description.contains(key) == false)
    }

    @Test("Other authorities and other servers need a restart, and nothing else does")
    func restart() throws {
        let base = ["webpush.subject": "mailto:ops@pushgate.dev"]
        let one = try #require(try settings(base))
        func needsRestart(_ key: String, _ value: String) throws -> Bool {
            one.needsRestart(for: try #require(try settings(base.merging(["webpush.\(key)": value]) { $1 })))
        }
        #expect(try needsRestart("caFile", "a.pem") && needsRestart("connectTo", "a.example=127.0.0.1"))
        #expect(try !needsRestart("subject", "mailto:other@pushgate.dev") && !needsRestart("allowedHosts", "ntfy.lan"))
        #expect(try !needsRestart("payload", "data") && !needsRestart("allowedPorts", "8443"))
    }

    @Test("A private key is read as PEM, and in the form that other tools print")
    func privateKeys() throws {
        let text = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        let point = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        for form in [text, " \(text)\n", try VAPIDKey.read(text).pem] {
            #expect(Base64URL.encode(try VAPIDKey.read(form).publicKey.point().bytes) == point)
        }
        for other in ["", "AAAA", "not a key", String(repeating: "A", count: 43)] {
            #expect(throws: CryptographyError.self) { try VAPIDKey.read(other) }
        }
    }

    @Test(
        "A server in place of a host has a host and a server",
        arguments: [
            ("fcm.googleapis.com=127.0.0.1:8443", "fcm.googleapis.com", "127.0.0.1:8443"),
            ("Web.Push.Apple.com=localhost", "web.push.apple.com", "localhost:443"),
            ("a.example=[::1]:9000", "a.example", "[::1]:9000"),
        ])
    func substitutes(text: String, host: String, server: String) throws {
        let substitute = try #require(ServerSubstitute(text))
        #expect(substitute.host == host && substitute.description == "\(host)=\(server)")
    }

    @Test(
        "Any other text is no server in place of a host",
        arguments: [
            "", "a.example", "=127.0.0.1", "a.example=", "a=b=c", "a.example:8443=127.0.0.1", "a.example/x=127.0.0.1",
            "a.example=https://b.example", "a.example=127.0.0.1:0", "u@a.example=127.0.0.1",
        ])
    func otherSubstitutes(text: String) {
        #expect(ServerSubstitute(text) == nil)
    }
}
