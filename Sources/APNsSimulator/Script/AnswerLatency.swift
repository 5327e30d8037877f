/// How long answers are held back, drawn at random for each.
public struct AnswerLatency: Hashable, Sendable {
    public enum Distribution: Hashable, Sendable {
        /// One of these, each as likely.
        case oneOf([Duration])
        /// Half of the answers take up to `p50`, 99 in 100 up to `p99`, none longer than `max`; in between (and from
        /// zero up) evenly spread.
        case percentiles(p50: Duration, p99: Duration, max: Duration)
    }

    public var distribution: Distribution
    /// Connections of the same number draw the same with the same seed.
    public var seed: UInt64

    public init(_ distribution: Distribution, seed: UInt64 = 0) {
        self.distribution = distribution
        self.seed = seed
    }

    /// The latency below which a share of the answers lies.
    ///
    /// - Parameter share: from 0 up to, but not including, 1.
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
