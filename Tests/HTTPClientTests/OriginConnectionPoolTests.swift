import Testing

@testable import HTTPClient

@Suite("Connections to one host")
struct OriginConnectionPoolTests {
    private let start = ContinuousClock.now
    private let pool = OriginConnectionPool(.http2, HTTPClient.Configuration())

    private func enqueue(_ number: UInt64) throws {
        let request = HTTPClientRequest(url: "https://push.example/\(number)")
        pool.enqueue(
            try Transfer(id: RequestID(number: number), request: request, now: start, responseLimit: 1) { _ in })
    }

    /// - Returns: `true` if there was a connection for the next request.
    private func startsNext(at instant: ContinuousClock.Instant) -> Bool {
        guard let (_, connection) = pool.next(at: instant) else { return false }
        connection.state.started(at: instant)
        return true
    }

    @Test("A second connection is opened when the first answer is missing for 500 ms, and not before")
    func firstAnswer() throws {
        for number: UInt64 in 0..<3 { try enqueue(number) }
        #expect(startsNext(at: start))
        #expect(!startsNext(at: start))
        #expect(!startsNext(at: start + .milliseconds(499)))
        #expect(pool.connections.count == 1)
        #expect(startsNext(at: start + .milliseconds(500)))
        #expect(pool.connections.count == 2)
    }
}
