/// Unpredictable bytes for secrets, from the system's generator.
package enum RandomBytes {
    /// Returns a number of random bytes.
    package static func generate(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        // The generator asks the system for each number, so eight bytes cost as much as one.
        while bytes.count < count {
            let number: UInt64 = generator.next()
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }
}
