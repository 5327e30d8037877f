#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A moment in UTC with a resolution of one microsecond, in the years 0001 to 9999, as Firestore's timestamp.
public struct Timestamp: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let microseconds: Int64

    /// Makes a moment. One before year 1 becomes the beginning of year 1, one after year 9999 the end of it.
    public init(microseconds: Int64) {
        self.microseconds = min(max(microseconds, Self.minimum), Self.maximum)
    }

    /// The first microsecond of year 0001 and the last of year 9999.
    private static let minimum: Int64 = -62_135_596_800_000_000
    private static let maximum: Int64 = 253_402_300_799_999_999
}

extension Timestamp {
    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { (microseconds - (microseconds % 1_000_000 + 1_000_000) % 1_000_000) / 1_000_000 }

    /// The first moment of the year 0001.
    public static let distantPast = Timestamp(microseconds: .min)
    /// The last microsecond of the year 9999.
    public static let distantFuture = Timestamp(microseconds: .max)

    /// The current time of the system's clock.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

extension Timestamp {
    /// Makes the moment of a protobuf timestamp, cut to microseconds.
    ///
    /// - Parameters:
    ///   - seconds: the seconds since 1970, rounded down.
    ///   - nanoseconds: the rest of the second, 0 to 999,999,999.
    /// - Throws: `INVALID_ARGUMENT` if the moment is not in the years 0001 to 9999.
    package init(seconds: Int64, nanoseconds: Int32) throws(StoreError) {
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (total, isTooFar) = whole.addingReportingOverflow(Int64(nanoseconds / 1_000))
        let moment = Timestamp(microseconds: total)
        guard !overflows, !isTooFar, moment.microseconds == total, (0..<1_000_000_000).contains(nanoseconds) else {
            throw .invalid("a timestamp of \(seconds) s and \(nanoseconds) ns is not in the years 0001 to 9999")
        }
        self = moment
    }

    /// Makes the moment of a protobuf timestamp that names a version of a document, as a precondition does.
    ///
    /// - Parameters:
    ///   - seconds: the seconds since 1970, rounded down.
    ///   - exactNanoseconds: the rest of the second, in whole microseconds.
    /// - Throws: `INVALID_ARGUMENT` if the moment is finer than microseconds, or not in the years 0001 to 9999.
    package init(seconds: Int64, exactNanoseconds: Int32) throws(StoreError) {
        guard exactNanoseconds % 1_000 == 0 else {
            throw .invalid("timestamp cannot have more than microseconds precision")
        }
        try self.init(seconds: seconds, nanoseconds: exactNanoseconds)
    }
}

extension Timestamp: Comparable {
    /// Orders moments by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}

extension Timestamp {
    /// Returns the moment later by the duration, or earlier for a negative one. Fractions of a microsecond are
    /// dropped; a result out of range becomes ``distantPast`` or ``distantFuture``.
    public func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflows else { return seconds < 0 ? .distantPast : .distantFuture }
        let (total, tooFar) = microseconds.addingReportingOverflow(whole + attoseconds / 1_000_000_000_000)
        guard !tooFar else { return seconds < 0 ? .distantPast : .distantFuture }
        return Timestamp(microseconds: total)
    }

    /// The beginning of the moment's millisecond.
    var cutToMilliseconds: Timestamp {
        Timestamp(microseconds: microseconds - microseconds.flooredQuotientAndRemainder(dividingBy: 1_000).remainder)
    }

    /// Returns the duration from the right moment to the left one.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds - right.microseconds)
    }
}

extension Timestamp: LosslessStringConvertible {
    /// The text `YYYY-MM-DDTHH:MM:SS.ffffffZ`, always with six digits, so that texts sort as their moments do.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            write(to: buffer)
            return Self.textLength
        }
    }

    /// The number of bytes of the text.
    package static let textLength = 27

    /// Parses an RFC 3339 date and time with any length of fraction and any offset. Digits after the sixth are
    /// dropped. `nil` if the text is not one, or not in the years 0001 to 9999.
    public init?(_ description: String) {
        var description = description
        guard let moment = description.withUTF8({ RFC3339Parser.parse($0) }) else { return nil }
        self = moment
    }

    /// Parses as ``init(_:)-(String)`` does, and throws in place of returning `nil`.
    ///
    /// - Throws: `INVALID_ARGUMENT`, with the beginning of the text.
    public init(parsing text: String) throws(StoreError) {
        guard let moment = Timestamp(text) else {
            throw .invalid("\"\(text.prefix(64))\" is not an RFC 3339 date and time of the years 0001 to 9999")
        }
        self = moment
    }

    /// Parses a text in the exact form of ``description``; `nil` for all other texts, other RFC 3339 forms included.
    init?(canonical text: UnsafeBufferPointer<UInt8>) {
        guard text.count == Self.textLength, let moment = RFC3339Parser.parse(text),
            moment.withText({ $0.elementsEqual(text) })
        else { return nil }
        self = moment
    }

    /// Appends the text without an intermediate string.
    func write(to bytes: inout [UInt8]) {
        withText { bytes.append(contentsOf: $0) }
    }

    /// Appends the text in two halves, which are so short that they need no memory of their own.
    package func append(to text: inout String) {
        let half = Self.textLength / 2
        withText { bytes in
            text += String(decoding: bytes[..<half], as: UTF8.self)
            text += String(decoding: bytes[half...], as: UTF8.self)
        }
    }

    /// Calls the closure with the text's bytes, without an intermediate string.
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
    /// Returns the quotient rounded down, so that the remainder is never negative.
    func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Writes numbers with a fixed number of digits into a buffer.
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
