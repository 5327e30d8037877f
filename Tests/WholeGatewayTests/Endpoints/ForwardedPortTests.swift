import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Limits of callers behind a proxy that writes ports", .timeLimit(.minutes(10)))
struct ForwardedPortTests {
    private static let settings = [
        "http.trustedProxies": "127.0.0.1", "functions.codeagents.requestsPerMinutePerAddress": "2",
    ]
    /// The number of the present minute, at whose end all counts begin again.
    private static var minute: Int { Int(Date().timeIntervalSince1970) / 60 }

    private func statuses(_ gateway: RunningGateway, _ addresses: [String]) async throws -> [Int] {
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        var statuses: [Int] = []
        for address in addresses {
            let answer = try await gateway.caller.call(
                "triggerReplyFinished", ["cwd": "/srv/app"], secret: .randomSecret(), headerFields: [name: address])
            statuses.append(answer.status)
        }
        return statuses
    }

    @Test("Each caller has a limit of its own, whatever its ports, and locks out no other")
    func limits() async throws {
        try await withGateway(Self.settings) { gateway in
            var (number, minute) = (0, 0)
            var found: [Int] = []
            // A round within one minute shows each limit.
            repeat {
                (number, minute) = (number + 1, Self.minute)
                let (first, second) = ("203.0.113.\(number)", "2001:db8:\(number)::1")
                found = try await statuses(
                    gateway,
                    [
                        "\(first):50000", "\(first):50001", "\(first):50002", first,
                        "[\(second)]:50000", "[\(second)]:50001", "[\(second)]", second,
                        "198.51.100.\(number):50000",
                    ])
            } while Self.minute != minute
            #expect(found == [200, 200, 429, 429, 200, 200, 429, 429, 200])
        }
    }
}
