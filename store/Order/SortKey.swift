/// The bytes of a value that compare (as `memcmp` does, a prefix first) exactly as the values do, and are equal
/// exactly if the values match. SQLite sorts and compares by them where it has no type of its own.
///
/// The first byte is the rank of the type, so that the keys of one type form one range. Texts and bytes escape 0x00
/// and end with 0x00 0x01, which is less than any continuation. Arrays and maps end with 0x00, which is less than any
/// rank. The segments of a reference are numbers and texts: a numeric id comes before all others.
struct SortKey {
    private(set) var bytes: [UInt8] = []
    /// The number of bytes after which the rest of the key is left out.
    private let limit: Int

    init(_ value: Value) { self.init(beginningOf: value, length: .max) }

    private init(beginningOf value: Value, length: Int) {
        limit = length
        append(value)
    }

    /// Returns the first bytes of a value's key. This takes as long as the beginning is, however large the value.
    static func beginning(of value: Value, length: Int) -> [UInt8] {
        let key = SortKey(beginningOf: value, length: length)
        return key.bytes.count > length ? Array(key.bytes.prefix(length)) : key.bytes
    }

    private var isComplete: Bool { bytes.count >= limit }

    /// The bounds of a type's keys in a range filter: from the lower bound up to, but not including, the upper bound.
    /// The key of NaN, which no range contains, is below the bound of numbers.
    static func lowerBound(of rank: Value.Rank) -> [UInt8] {
        rank == .number ? [rank.rawValue, 0, 0, 0, 0, 0, 0, 0, 1] : [rank.rawValue]
    }
    static func upperBound(of rank: Value.Rank) -> [UInt8] { [rank.rawValue + 1] }

    private static let end: UInt8 = 0

    private mutating func append(_ value: Value) {
        if case .map(let fields) = value, let tagged = TaggedMap(fields) { return append(tagged) }
        bytes.append(value.rank.rawValue)
        switch value {
        case .null: break
        case .boolean(let value): bytes.append(value ? 1 : 0)
        case .integer, .double: append(number: value)
        case .timestamp(let value): append(bigEndian: UInt64(bitPattern: value.microseconds) ^ 1 << 63)
        case .string(let value): append(escaped: value.utf8)
        case .bytes(let value): append(escaped: value)
        case .reference(let value): append(name: value)
        case .geoPoint(let latitude, let longitude):
            append(bigEndian: NumberKey.bits(of: latitude))
            append(bigEndian: NumberKey.bits(of: longitude))
        case .array(let elements):
            for element in elements where !isComplete { append(element) }
            bytes.append(Self.end)
        case .map(let fields): append(fields)
        }
    }

    private mutating func append(_ tagged: TaggedMap) {
        bytes.append(tagged.rank.rawValue)
        switch tagged {
        case .minKey, .maxKey: break
        case .number(let number): append(number: number)
        case .timestamp(let seconds, let increment):
            append(bigEndian: UInt64(bitPattern: seconds))
            append(bigEndian: UInt64(bitPattern: increment))
        case .binary(let content): append(escaped: content)
        case .objectID(let text): append(escaped: text.utf8)
        case .regex(let pattern, let options):
            append(escaped: pattern.utf8)
            append(escaped: options.utf8)
        case .vector(let elements):
            append(bigEndian: UInt64(elements.count))
            for element in elements where !isComplete { append(element) }
        }
    }

    private mutating func append(number value: Value) {
        switch value {
        case .integer(let value): append(NumberKey(value))
        case .double(let value): append(NumberKey(value))
        default: break
        }
    }

    private mutating func append(_ fields: Fields) {
        guard !isComplete else { return }
        for (name, value) in fields.sortedByName where !isComplete {
            append(.string(name))
            append(value)
        }
        bytes.append(Self.end)
    }

    private mutating func append(name: String) {
        for segment in name.utf8.split(separator: PathText.separator, omittingEmptySubsequences: false) {
            if let number = NumericID.number(in: segment) {
                append(.integer(number))
                continue
            }
            bytes.append(Value.Rank.string.rawValue)
            append(escaped: segment)
        }
        bytes.append(Self.end)
    }

    private mutating func append(escaped content: some Sequence<UInt8>) {
        for byte in content {
            if isComplete { return }
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes.append(0)
        bytes.append(1)
    }

    private mutating func append(_ number: NumberKey) {
        append(bigEndian: number.double)
        bytes.append(UInt8(truncatingIfNeeded: number.remainder >> 8))
        bytes.append(UInt8(truncatingIfNeeded: number.remainder))
    }

    private mutating func append(bigEndian number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The key of a number that orders integers and doubles together: the nearest double, and the integer's distance from
/// it.
private struct NumberKey {
    let double: UInt64
    /// The distance, from -1024 to 1024, plus 0x8000.
    let remainder: UInt16

    init(_ value: Double) {
        double = Self.bits(of: value)
        remainder = Self.zero
    }

    init(_ value: Int64) {
        let nearest = Double(value)
        double = Self.bits(of: nearest)
        // Only the greatest integers round up to 2^63, which is one more than an Int64 can hold.
        let difference = nearest == 0x1p63 ? value - .max - 1 : value - Int64(nearest)
        remainder = UInt16(Int64(Self.zero) + difference)
    }

    private static let zero: UInt16 = 0x8000

    /// Returns the bits of a double so that they have its order: NaN first, -0 equal to 0.
    static func bits(of value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }
}
