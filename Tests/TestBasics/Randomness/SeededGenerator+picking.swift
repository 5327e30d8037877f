extension SeededGenerator {
    /// Returns `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// Returns `count` equal bytes, which is faster than random ones.
    package mutating func filler(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8.random(in: .min ... .max, using: &self), count: count)
    }

    /// Returns a random element of a non-empty array.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    /// Returns a random number of the range.
    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns a text of `count` characters, all valid in an installation id, a path and a secret.
    package mutating func text(_ count: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<count).map { _ in pick(letters) })
    }
}
