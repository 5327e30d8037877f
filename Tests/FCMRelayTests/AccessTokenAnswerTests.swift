import Testing

@testable import FCMRelay

@Suite("Answers of the token endpoint")
struct AccessTokenAnswerTests {
    @Test("A 200 from the token endpoint brings a token that is usable for its lifetime")
    func token() throws {
        let token = try answer(200, #"{"access_token":"ya29.a","expires_in":3599,"token_type":"Bearer"}"#)
            .token(issuedAt: 1_000)
        #expect(token == AccessToken(value: "ya29.a", issuedAt: 1_000, lifetime: 3_599))
        #expect(token.isUsable(at: 4_598))
        #expect(!token.isUsable(at: 4_599))
    }

    @Test(
        "A token lifetime that is unreadable, missing, too long or too short is replaced by a safe one",
        arguments: [
            (#","expires_in":"1800""#, 1_800), (#","expires_in":0"#, 60), (#","expires_in":-5"#, 60),
            (#","expires_in":9000000000000000000"#, 86_400), (#","expires_in":null"#, 3_600), ("", 3_600),
        ] as [(String, Int64)])
    func lifetimes(member: String, lifetime: Int64) throws {
        #expect(
            try answer(200, #"{"access_token":"t"\#(member)}"#).token(issuedAt: 0)
                == AccessToken(value: "t", issuedAt: 0, lifetime: lifetime))
    }

    @Test(
        "A permanent error of the token endpoint is a refusal with the endpoint's own error code",
        arguments: [
            (400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#, "invalid_grant"),
            (401, #"{"error":"invalid_client"}"#, "invalid_client"), (403, "", "HTTP403"),
            (404, "<!DOCTYPE html>", "HTTP404"), (400, #"{"error":{"code":400}}"#, "HTTP400"),
        ])
    func refused(status: Int, body: String, reason: String) {
        #expect(throws: AccessTokenError(kind: .refused, reason: reason)) {
            try answer(status, body).token(issuedAt: 0)
        }
    }

    @Test(
        "A temporary error of the token endpoint is no refusal and keeps Retry-After",
        arguments: [
            (429, #"{"error":"rate_limit_exceeded"}"#, "rate_limit_exceeded"), (500, "", "HTTP500"),
            (408, "", "HTTP408"), (503, #"{"error":"backend_error"}"#, "backend_error"), (302, "", "HTTP302"),
            (200, "<html>Sign in to the café's network</html>", "NoAccessToken"),
            (200, #"{"access_token":""}"#, "NoAccessToken"),
        ])
    func unavailable(status: Int, body: String, reason: String) {
        #expect(throws: AccessTokenError(kind: .unavailable, reason: reason, retryAfter: .seconds(30))) {
            try answer(status, body, retryAfter: "30").token(issuedAt: 0)
        }
    }

    @Test("Google's error description is kept for the log, cut to 200 characters so that no assertion fits")
    func explanation() {
        let long = String(repeating: "x", count: 1_000)
        #expect(answer(400, #"{"error":"e","error_description":"no account"}"#).explanation == "no account")
        #expect(answer(400, #"{"error":"e","error_description":"\#(long)"}"#).explanation?.count == 200)
        #expect(answer(400, "{}").explanation == nil)
    }

    @Test("An access token does not appear in its description or dump")
    func redacted() {
        let token = AccessToken(value: "ya29.secret", issuedAt: 0, lifetime: 60)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains("ya29")) }
    }

    private func answer(_ status: Int, _ body: String, retryAfter: String? = nil) -> AccessTokenAnswer {
        AccessTokenAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8))
    }
}
