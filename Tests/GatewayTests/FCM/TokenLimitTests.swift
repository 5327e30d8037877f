import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Token endpoint", .timeLimit(.minutes(10)))
struct TokenLimitTests {
    private static let trust = ["http.trustedProxies": "127.0.0.1"]
    /// The number of the present period of the count, which begins at each multiple of five minutes.
    private static var period: Int { Int(Date().timeIntervalSince1970) / 300 }
    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")

    private func ask(
        _ gateway: RunningGateway, _ assertion: String, from address: String = "192.0.2.1"
    ) async throws -> Answer {
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        fields[try #require(Self.forwardedFor)] = address
        return try await gateway.caller.send(.post, "/token", headerFields: fields, body: Array(form.utf8))
    }

    @Test("Ten refused assertions limit an address, unless it obtained a token before")
    func failures() async throws {
        try await withSimulator { apns in
            try await withGateway(Self.trust, simulator: apns) { gateway in
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                let (good, bad) = (try account.assertion(), try account.assertion(["exp": 1]))
                #expect(try await ask(gateway, good, from: "192.0.2.7").status == 200)
                let period = Self.period
                for address in ["192.0.2.1", "192.0.2.7"] {
                    var refused = 0
                    var limited = try await ask(gateway, bad, from: address)
                    // The period of the count may end in the meantime and start again.
                    while limited.status == 400, refused <= 20 {
                        refused += 1
                        limited = try await ask(gateway, bad, from: address)
                    }
                    #expect((10...20).contains(refused))
                    #expect(limited.status == 429 && limited.body["error"] == "rate_limit_exceeded")
                    #expect(limited.body["error_description"]?.string?.isEmpty == false)
                    let seconds = limited.headerFields[.retryAfter].flatMap { Int($0) } ?? 0
                    #expect((1...300).contains(seconds))
                }
                let isLimited = try await ask(gateway, good, from: "192.0.2.1").status == 429
                #expect(isLimited || Self.period != period)
                #expect(try await ask(gateway, good, from: "192.0.2.7").status == 200)
                #expect(try await ask(gateway, good, from: "192.0.2.2").status == 200)
            }
        }
    }

    @Test("A service account gets 1,000 access tokens a minute, with 500 requests at a time")
    func quota() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                let other = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                let assertion = try account.assertion()
                let statuses = try await concurrently(Array(0..<2_100), limit: 500) { _ in
                    try await ask(gateway, assertion).status
                }
                // A new minute may have started in the meantime.
                #expect((1_000...2_000).contains(statuses.count { $0 == 200 }))
                #expect(statuses.allSatisfy { $0 == 200 || $0 == 429 })
                #expect(try await ask(gateway, try other.assertion()).status == 200)
            }
        }
    }
}
