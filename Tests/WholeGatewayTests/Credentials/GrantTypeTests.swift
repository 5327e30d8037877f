import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Grant types of token requests", .timeLimit(.minutes(10)))
struct GrantTypeTests {
    @Test("A token request with another grant type, or without an assertion, is refused")
    func grantType() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                for (form, code) in [
                    ("grant_type=password&assertion=a", "unsupported_grant_type"), ("", "unsupported_grant_type"),
                    ("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer", "invalid_request"),
                ] {
                    let answer = try await gateway.caller.send(
                        .post, "/token", headerFields: [.contentType: "application/x-www-form-urlencoded"],
                        body: Array(form.utf8))
                    #expect(answer.status == 400 && answer.body["error"] == .string(code))
                }
            }
        }
    }
}
