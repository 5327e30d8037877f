import Foundation
import PushgateClient
import Testing

@Suite("Links of pushgate pair")
struct PairingLinkTests {
    private static let code = "000G40R40M30E209185GR38E1W"

    @Test(
        "A link has the gateway's address and a code",
        arguments: [
            ("https://push.example.com/try#000G40R40M30E209185GR38E1W", "https://push.example.com"),
            (" https://push.example.com/prefix/try#000G40R40M30E209185GR38E1W\n", "https://push.example.com/prefix"),
            ("http://10.0.0.2:8080/try#000G40R40M30E209185GR38E1W", "http://10.0.0.2:8080"),
        ])
    func links(text: String, gateway: String) throws {
        let link = try #require(PairingLink(text))
        #expect(link.gateway.text == gateway && link.code == Self.code)
    }

    @Test(
        "Any other text is no link",
        arguments: [
            "", "https://push.example.com/try", "https://push.example.com/try#", "https://push.example.com/#ABC",
            "https://push.example.com/other#ABC", "ftp://push.example.com/try#ABC", "/try#ABC", "mailto:x/try#ABC",
            "https://push.example.com/try?x=1#ABC", "https://push.example.com/try#A/B", "https://a b/try#ABC",
            "https://push.example.com/try#" + String(repeating: "A", count: 65),
        ])
    func others(text: String) {
        #expect(PairingLink(text) == nil)
    }

    @Test("A printed link or pairing has neither the code nor the credential")
    func redacted() async throws {
        let link = try #require(PairingLink("https://push.example.com/try#\(Self.code)"))
        let pairing = try await Self.pairing()
        var dumped = ""
        dump(link, to: &dumped)
        dump(pairing, to: &dumped)
        dump(PushServer(id: "one", pairing: pairing), to: &dumped)
        for text in ["\(link)", String(reflecting: link), "\(pairing)", String(reflecting: pairing), dumped] {
            #expect(!text.contains(Self.code) && !text.contains("pgd_") && !text.contains("/srv/app"), "\(text)")
        }
    }

    // MARK: The exchange

    /// The answer of a gateway to a good code.
    static let answer = GatewayResponse(
        status: 200,
        body: Data(
            #"""
            {"ok":true,"credential":"pgd_c2VjcmV0","installation_id":"web-0123456789abcdef",
             "server_key":"f295","cwd":"/srv/app","agent_display_name":"My agent"}
            """#.utf8))

    static func pairing() async throws -> DevicePairing {
        let gateway = ScriptedGateway()
        await gateway.answer(answer)
        let link = try #require(PairingLink("https://push.example.com/try#\(code)"))
        return try await link.pair(by: gateway)
    }

    @Test("A code is exchanged for the right to one agent's notifications, without a secret")
    func pair() async throws {
        let gateway = ScriptedGateway()
        await gateway.answer(Self.answer)
        let link = try #require(PairingLink("https://push.example.com/try#\(Self.code)"))
        let pairing = try await link.pair(by: gateway)
        #expect(pairing.gateway.text == "https://push.example.com" && pairing.credential.value == "pgd_c2VjcmV0")
        #expect(pairing.serverKey == "f295" && pairing.cwd == "/srv/app" && pairing.displayName == "My agent")
        let call = try #require(await gateway.calls.first)
        #expect(call.url == "https://push.example.com/try/pair" && call.method == "POST" && call.secret == nil)
        #expect(call.fields == ["code": Self.code])
    }

    @Test("A pairing is the same after it was stored")
    func stored() async throws {
        let pairing = try await Self.pairing()
        let stored = try JSONEncoder().encode(pairing)
        #expect(try JSONDecoder().decode(DevicePairing.self, from: stored) == pairing)
        let damaged = Data(String(decoding: stored, as: UTF8.self).replacing("pgd_c2VjcmV0", with: " ").utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DevicePairing.self, from: damaged) }
    }

    @Test("A code that is not good has an error of its own")
    func unknownCode() async throws {
        let gateway = ScriptedGateway()
        let link = try #require(PairingLink("https://push.example.com/try#\(Self.code)"))
        await gateway.answer(GatewayResponse(status: 404, body: Data(#"{"error":"unknown_code"}"#.utf8)))
        await #expect(throws: PushClientError.unknownCode) { try await link.pair(by: gateway) }
        await gateway.answer(GatewayResponse(status: 404, body: Data(#"{"error":"not_found"}"#.utf8)))
        await #expect(throws: PushClientError.unexpectedAnswer(status: 404, code: "not_found")) {
            try await link.pair(by: gateway)
        }
        await gateway.answer(GatewayResponse(status: 429, retryAfter: "300"))
        await #expect(throws: PushClientError.rateLimited(retryAfter: .seconds(300))) {
            try await link.pair(by: gateway)
        }
        await gateway.answer(GatewayResponse(status: 200, body: Data("<html>".utf8)))
        await #expect(throws: PushClientError.unexpectedAnswer(status: 200, code: nil)) {
            try await link.pair(by: gateway)
        }
    }
}
