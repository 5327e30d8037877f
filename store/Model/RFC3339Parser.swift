import Texts

/// A parser of dates and times (RFC 3339 §5.6), without Foundation's formatters, which take microseconds for each
/// text.
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

    /// Returns the microseconds after a point; 0 without a point.
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

    /// Returns the seconds east of UTC.
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
        guard position < bytes.count, bytes[position].isASCIIDigit else { return nil }
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

/// A day of the proleptic Gregorian calendar, convertible to its number counted from 1970-01-01.
///
/// Counting years from March puts the leap day last, so that month lengths follow one formula and 400 years are one
/// period of 146,097 days.
struct CivilDate: Hashable {
    let year: Int
    let month: Int
    let day: Int

    /// `nil` if the month does not have the day.
    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, year: year)).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSince1970: Int) {
        let sinceMarch0 = daysSince1970 + Self.daysFromYear0To1970
        let period = (sinceMarch0 >= 0 ? sinceMarch0 : sinceMarch0 - 146_096) / 146_097
        let dayOfPeriod = sinceMarch0 - period * 146_097
        let yearOfPeriod = (dayOfPeriod - dayOfPeriod / 1_460 + dayOfPeriod / 36_524 - dayOfPeriod / 146_096) / 365
        let dayOfYear = dayOfPeriod - (365 * yearOfPeriod + yearOfPeriod / 4 - yearOfPeriod / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfPeriod + period * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let period = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfPeriod = yearFromMarch - period * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfPeriod = yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100 + dayOfYear
        return period * 146_097 + dayOfPeriod - Self.daysFromYear0To1970
    }

    /// Days from 0000-03-01 to 1970-01-01.
    private static let daysFromYear0To1970 = 719_468

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
