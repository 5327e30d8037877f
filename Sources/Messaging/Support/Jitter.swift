import Synchronization

/// A source of numbers for the jitter of requests' time limits, evenly distributed in 0..<1.
///
/// It asks the system for the first number and derives the others, because the system's generator makes a kernel call
/// for each. They are not secret.
package final class Jitter: Sendable {
    private let state: Atomic<UInt64>

    init(seed: UInt64) { state = Atomic(seed) }

    /// Returns a function that returns the next number of a new source.
    package static func source() -> @Sendable () -> Double {
        let jitter = Jitter(seed: .random(in: .min ... .max))
        return { jitter.next() }
    }

    /// Returns the next number, by [SplitMix64](https://prng.di.unimi.it/splitmix64.c).
    func next() -> Double {
        var number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        // A `Double` has 53 bits of precision.
        return Double(number >> 11) * 0x1p-53
    }
}
