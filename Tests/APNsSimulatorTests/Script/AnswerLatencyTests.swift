import Testing

@testable import APNsSimulator

@Suite("Latencies of answers")
struct AnswerLatencyTests {
    private let spread = AnswerLatency(
        .percentiles(p50: .milliseconds(10), p99: .milliseconds(108), max: .milliseconds(1108)))

    @Test(
        "A latency distribution keeps its percentiles, and is linear between them",
        arguments: [(0, 0), (0.25, 5), (0.5, 10), (0.745, 59), (0.99, 108), (0.995, 608)])
    func percentiles(share: Double, milliseconds: Double) {
        let duration = spread.duration(below: share)
        #expect(abs(duration / .milliseconds(1) - milliseconds) < 0.001)
    }

    @Test("A latency list gives each of its values and no other")
    func list() {
        var source = LatencySource(AnswerLatency(.oneOf([.milliseconds(1), .milliseconds(7)])), connection: 1)
        #expect(Set((0..<100).map { _ in source.next() }) == [.milliseconds(1), .milliseconds(7)])
    }

    @Test("A seed and a connection determine the latencies")
    func seed() {
        let draw = { (seed: UInt64, connection: Int) in
            var source = LatencySource(AnswerLatency(spread.distribution, seed: seed), connection: connection)
            return (0..<5).map { _ in source.next() }
        }
        #expect(draw(4, 1) == draw(4, 1))
        #expect(draw(4, 1) != draw(4, 2))
        #expect(draw(4, 1) != draw(9, 1))
    }

    @Test(
        "A connection without a latency, or with an empty list, answers at once",
        arguments: [nil, AnswerLatency(.oneOf([]))])
    func none(latency: AnswerLatency?) {
        var source = LatencySource(latency, connection: 1)
        #expect(source.next() == .zero)
    }
}
