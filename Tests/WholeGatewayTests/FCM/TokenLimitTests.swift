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

    /// The answers to a client that obtained no token, and then to one that did, whose assertions are refused until
    /// another answer comes.
    private struct Round {
        /// The number of refusals of each.
        var refusals: [Int] = []
        /// The answer to each after its refusals.
        var limits: [Answer] = []
        /// The statuses of good assertions after that: of both clients, and of a third one.
        var statuses: [Int] = []
    }

    /// Returns the answers to clients with addresses of their own.
    private func round(
        _ number: Int, _ gateway: RunningGateway, good: String, bad: String
    ) async throws -> Round {
        let addresses = (0..<3).map { "192.0.2.\(3 * number + $0)" }
        #expect(try await ask(gateway, good, from: addresses[1]).status == 200)
        var round = Round()
        for address in addresses.dropLast() {
            var (refusals, answer) = (0, try await ask(gateway, bad, from: address))
            while answer.status == 400, refusals <= 10 {
                refusals += 1
                answer = try await ask(gateway, bad, from: address)
            }
            round.refusals.append(refusals)
            round.limits.append(answer)
        }
        for address in addresses { round.statuses.append(try await ask(gateway, good, from: address).status) }
        return round
    }

    @Test("Ten refused assertions limit an address, unless it obtained a token before")
    func failures() async throws {
        try await withSimulator { apns in
            try await withGateway(Self.trust, simulator: apns) { gateway in
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                let (good, bad) = (try account.assertion(), try account.assertion(["exp": 1]))
                var (number, period) = (0, 0)
                var round = Round()
                // All counts begin again with a new period. A round within one period shows each of them.
                repeat {
                    (number, period) = (number + 1, Self.period)
                    round = try await self.round(number, gateway, good: good, bad: bad)
                } while Self.period != period
                #expect(round.refusals == [10, 10])
                for limit in round.limits {
                    #expect(limit.status == 429 && limit.body["error"] == "rate_limit_exceeded")
                    #expect(limit.body["error_description"]?.string?.isEmpty == false)
                    let seconds = limit.headerFields[.retryAfter].flatMap { Int($0) } ?? 0
                    #expect((1...300).contains(seconds))
                }
                #expect(round.statuses == [429, 200, 200])
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
