import Testing

@testable import HTTPTransport

@Suite("The connections to one host")
struct ConnectionPoolTests {
    private let start = ContinuousClock.now
    private let pool = ConnectionPool(.http2, HTTPClient.Configuration())

    private func enqueue(_ number: UInt64) throws {
        let request = HTTPClientRequest(url: "https://push.example/\(number)")
        pool.enqueue(
            try Transfer(id: RequestID(number: number), request: request, now: start, responseLimit: 1) { _ in })
    }

    /// - Returns: whether there was a connection for the next one.
    private func startsNext(at instant: ContinuousClock.Instant) -> Bool {
        guard let (_, connection) = pool.next(at: instant) else { return false }
        connection.state.started(at: instant)
        return true
    }

    @Test("become two when the first answer of all has not come for half a second, and not before")
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
