extension Timestamp: LosslessStringConvertible {
    /// `YYYY-MM-DDTHH:MM:SS.ffffffZ`, always with six digits, so that texts sort as moments do.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            write(to: buffer)
            return Self.textLength
        }
    }

    static let textLength = 27

    /// Parses an RFC 3339 date and time with any length of fraction and any offset; digits past the sixth are dropped.
    /// Nil when it is not one, or not of the years 0001 to 9999.
    public init?(_ description: String) {
        var description = description
        guard let moment = description.withUTF8({ RFC3339Parser.parse($0) }) else { return nil }
        self = moment
    }

    /// As ``init(_:)-(String)``, with an error that says so.
    ///
    /// - Throws: `INVALID_ARGUMENT`.
    public init(parsing text: String) throws(StoreError) {
        guard let moment = Timestamp(text) else {
            throw .invalid("\"\(text.prefix(64))\" is not an RFC 3339 date and time of the years 0001 to 9999")
        }
        self = moment
    }

    /// The moment of a text in the form of ``description``; `nil` for other texts, other forms included.
    init?(canonical text: UnsafeBufferPointer<UInt8>) {
        guard text.count == Self.textLength, let moment = RFC3339Parser.parse(text),
            moment.withText({ $0.elementsEqual(text) })
        else { return nil }
        self = moment
    }

    /// Appends the text without making a string of it.
    func write(to bytes: inout [UInt8]) {
        withText { bytes.append(contentsOf: $0) }
    }

    /// Lends the closure the text, without making a string of it.
    func withText<Answer>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Answer) rethrows -> Answer {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.textLength) { buffer in
            write(to: buffer)
            return try body(UnsafeBufferPointer(buffer))
        }
    }

    private func write(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let (days, rest) = microseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000_000)
        let date = CivilDate(daysSince1970: Int(days))
        let time = Int(rest)
        var writer = DigitWriter(buffer: buffer)
        writer.write(date.year, digits: 4, then: "-")
        writer.write(date.month, digits: 2, then: "-")
        writer.write(date.day, digits: 2, then: "T")
        writer.write(time / 3_600_000_000, digits: 2, then: ":")
        writer.write(time / 60_000_000 % 60, digits: 2, then: ":")
        writer.write(time / 1_000_000 % 60, digits: 2, then: ".")
        writer.write(time % 1_000_000, digits: 6, then: "Z")
    }
}

extension Int64 {
    /// Division that rounds down, so that the remainder is never negative.
    func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

private struct DigitWriter {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var position = 0

    init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func write(_ number: Int, digits: Int, then mark: Unicode.Scalar) {
        var number = number
        for index in stride(from: position + digits - 1, through: position, by: -1) {
            buffer[index] = UInt8(ascii: "0") + UInt8(number % 10)
            number /= 10
        }
        buffer[position + digits] = UInt8(ascii: mark)
        position += digits + 1
    }
}
