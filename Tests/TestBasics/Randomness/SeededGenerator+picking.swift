extension SeededGenerator {
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// So many bytes of one kind: quickly made.
    public mutating func filler(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8.random(in: .min ... .max, using: &self), count: count)
    }

    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A text of that many characters, of those an installation id, a path and a secret may have.
    public mutating func text(_ count: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<count).map { _ in pick(letters) })
    }
}
