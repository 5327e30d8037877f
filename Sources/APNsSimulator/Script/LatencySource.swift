/// Draws the latencies of one connection.
struct LatencySource: Sendable {
    private let latency: AnswerLatency?
    private var generator: SplitMix64

    init(_ latency: AnswerLatency?, connection: Int) {
        self.latency = latency
        self.generator = SplitMix64(seed: (latency?.seed ?? 0) &+ UInt64(truncatingIfNeeded: connection))
    }

    mutating func next() -> Duration {
        latency?.duration(below: .random(in: 0..<1, using: &generator)) ?? .zero
    }
}
