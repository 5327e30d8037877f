/// Reads a date and time (RFC 3339 §5.6) without Foundation's formatters, which cost microseconds each.
struct RFC3339Parser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        var parser = RFC3339Parser(bytes: bytes)
        return parser.moment()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private mutating func moment() -> Timestamp? {
        guard let days = date(), take("T") || take("t") || take(" "), let time = time(), let fraction = fraction(),
            let offset = offset(), position == bytes.count
        else { return nil }
        let microseconds = Int64(days * 86_400 + time - offset) * 1_000_000 + Int64(fraction)
        let moment = Timestamp(microseconds: microseconds)
        return moment.microseconds == microseconds ? moment : nil
    }

    private mutating func date() -> Int? {
        guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2), year >= 1 else {
            return nil
        }
        return CivilDate(year: year, month: month, day: day)?.daysSince1970
    }

    private mutating func time() -> Int? {
        guard let hour = digits(2), take(":"), let minute = digits(2), take(":"), let second = digits(2) else {
            return nil
        }
        guard hour < 24, minute < 60, second < 60 else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// The microseconds after a point; 0 without one.
    private mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        var value = 0
        var count = 0
        while let digit = digit() {
            if count < 6 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<max(count, 6) { value *= 10 }
        return value
    }

    /// Seconds east of UTC.
    private mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else {
            return nil
        }
        defer { position += 1 }
        return Int(bytes[position] - UInt8(ascii: "0"))
    }

    private mutating func digits(_ count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}
