import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Rate limits of the functions")
struct RateLimitTests {
    private func secret(_ number: Int) -> String { "secret-\(number)-" + String(repeating: "x", count: 32) }

    @Test("A secret has 60 requests per minute over all functions and addresses")
    func perSecret() async throws {
        let bench = try Bench()
        bench.clock.advance(by: .seconds(45))
        for number in 0..<20 {
            #expect(try await bench.register(.register(address: "192.0.2.\(number)")).status == .ok)
            #expect(try await bench.unregister(.unregister()).status == .ok)
            #expect(try await bench.trigger().status == .ok)
        }
        #expect(try await bench.trigger().withoutMessage == .rateLimited(retryAfter: 15))
        #expect(
            try await bench.register(.register(address: "203.0.113.9")).withoutMessage == .rateLimited(retryAfter: 15))
        #expect(try await bench.register(.register(secret: secret(1))).status == .ok)
        bench.clock.advance(by: .seconds(15))
        #expect(try await bench.trigger().status == .ok)
    }

    @Test("An address has 120 requests per minute over all secrets")
    func perAddress() async throws {
        let bench = try Bench { $0.newServersPerHourPerAddress = 0 }
        for number in 0..<120 {
            #expect(try await bench.trigger(.trigger(secret: secret(number))).status == .ok)
        }
        #expect(try await bench.trigger(.trigger(secret: secret(999))).withoutMessage == .rateLimited(retryAfter: 60))
        #expect(
            try await bench.register(.register(secret: secret(999), address: "2001:db8::1")).status == .ok)
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.trigger(.trigger(secret: secret(998))).status == .ok)
    }

    @Test("A request over its secret's limit leaves the address's requests to the phones behind it")
    func runawayDaemon() async throws {
        let bench = try Bench {
            $0.requestsPerMinutePerSecret = 3; $0.requestsPerMinutePerAddress = 8; $0.newServersPerHourPerAddress = 0
        }
        for number in 0..<100 { #expect(try await bench.trigger().status == (number < 3 ? .ok : .tooManyRequests)) }
        for number in 0..<5 {
            #expect(try await bench.register(.register(secret: secret(number))).status == .ok)
        }
        // The address has had its 8 requests, and is refused before the secret counts.
        for number in 5..<50 {
            #expect(
                try await bench.register(.register(secret: secret(number))).withoutMessage
                    == .rateLimited(retryAfter: 60))
        }
        #expect(try await bench.register(.register(secret: secret(5), address: "192.0.2.77")).status == .ok)
    }

    @Test("Refused requests count against the rate limit, except those without a valid secret")
    func refused() async throws {
        let bench = try Bench {
            $0.requestsPerMinutePerSecret = 3; $0.requestsPerMinutePerAddress = 4
        }
        for _ in 0..<10 {
            var call = Call.register()
            call.headers[.authorization] = "Bearer short"
            #expect(try await bench.register(call).withoutMessage == .unauthorized)
        }
        for _ in 0..<3 { #expect(try await bench.register(Call(text: "x")).withoutMessage == .badRequest) }
        #expect(try await bench.register().withoutMessage == .rateLimited(retryAfter: 60))
    }

    @Test("An address may register 10 new servers per hour, and known servers are not limited")
    func newServers() async throws {
        let bench = try Bench { $0.requestsPerMinutePerAddress = 0 }
        bench.clock.advance(by: .seconds(600))
        for number in 0..<10 {
            #expect(try await bench.register(.register(secret: secret(number))).status == .ok)
        }
        let before = try await bench.documents()
        #expect(
            try await bench.register(.register(secret: secret(10))).withoutMessage == .rateLimited(retryAfter: 3_000))
        #expect(try await bench.documents() == before)
        #expect(try await bench.register(.register("other", secret: secret(0))).status == .ok)
        #expect(try await bench.register(.register(secret: secret(10), address: "192.0.2.77")).status == .ok)
        bench.clock.advance(by: .seconds(3_000))
        #expect(try await bench.register(.register(secret: secret(11))).status == .ok)
    }

    @Test("An invalid registration does not count as a new server")
    func invalidRegistrations() async throws {
        let bench = try Bench {
            $0.requestsPerMinutePerAddress = 0; $0.newServersPerHourPerAddress = 1
        }
        for number in 0..<20 {
            #expect(try await bench.register(Call(["cwd": "/a"], secret: secret(number))).withoutMessage == .badRequest)
            #expect(try await bench.register(.register("a/b", secret: secret(number))).withoutMessage == .badRequest)
            #expect(try await bench.trigger(.trigger(secret: secret(number))).status == .ok)
        }
        #expect(try await bench.register(.register(secret: secret(100))).status == .ok)
    }

    @Test("A limit of 0 lifts that rate limit")
    func lifted() async throws {
        let bench = try Bench {
            $0.requestsPerMinutePerSecret = 0
            $0.requestsPerMinutePerAddress = 0
            $0.newServersPerHourPerAddress = 0
        }
        for number in 0..<200 {
            #expect(try await bench.trigger().status == .ok)
            if number < 30 { #expect(try await bench.register(.register(secret: secret(number))).status == .ok) }
        }
    }
}
