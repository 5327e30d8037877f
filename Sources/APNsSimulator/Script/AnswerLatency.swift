/// Random delays of answers.
public struct AnswerLatency: Hashable, Sendable {
    /// A distribution of delays.
    public enum Distribution: Hashable, Sendable {
        /// One of these delays, each with the same probability.
        case oneOf([Duration])
        /// Delays evenly distributed from zero to `p50` (half of the answers), from there to `p99` (up to 99 in 100),
        /// and from there to `max`.
        case percentiles(p50: Duration, p99: Duration, max: Duration)
    }

    /// The distribution of the delays.
    public var distribution: Distribution
    /// The seed of the random numbers. With the same seed, the nth connection has the same delays in every run.
    public var seed: UInt64

    /// Creates delays with a distribution and a seed.
    public init(_ distribution: Distribution, seed: UInt64 = 0) {
        self.distribution = distribution
        self.seed = seed
    }

    /// Returns the latency that a share of the answers does not exceed.
    ///
    /// - Parameter share: A number from 0 up to, but not including, 1.
    func duration(below share: Double) -> Duration {
        switch distribution {
        case .oneOf(let durations):
            durations.isEmpty ? .zero : durations[Int(share * Double(durations.count))]
        case .percentiles(let p50, let p99, let max):
            switch share {
            case ..<0.5: p50 * (share / 0.5)
            case ..<0.99: p50 + (p99 - p50) * ((share - 0.5) / 0.49)
            default: p99 + (max - p99) * ((share - 0.99) / 0.01)
            }
        }
    }
}

/// A source of the latencies of one connection.
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

/// A repeatable random number generator: Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
/// (OOPSLA 2014).
///
/// Seeds that differ by one give unrelated numbers, so the sum of a seed and a connection's number is a seed.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
