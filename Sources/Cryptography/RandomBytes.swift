/// Unpredictable bytes for secrets, from the system's generator.
package enum RandomBytes {
    /// Returns a number of random bytes.
    package static func generate(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
