/// A JSON value (RFC 8259).
///
/// Integers of up to 64 bits stay integers: a Firestore `integerValue`, an APNs `timestamp` or a game id must not
/// become a `Double` on its way. All other numbers are `Double`s.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number without a fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, with its members in order.
    case object(JSONObject)
}

extension JSONValue {
    /// The string; `nil` if this is another kind of value.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The Boolean; `nil` if this is another kind of value, the numbers 0 and 1 included.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer; `nil` unless this is a number without a fraction or exponent that fits 64 bits.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number as a `Double`; `nil` if this is not a number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The elements; `nil` if this is not an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members; `nil` if this is not an object.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The value of a member; `nil` if this is not an object, or has no member with that name.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at an index; `nil` if this is not an array, or has no such element.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes `null` of the literal `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// Makes a Boolean of the literal `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an integer of a literal without fraction and exponent.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a number of a literal with a fraction or exponent.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Makes a string of a literal, with interpolations or without.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an array of a literal, whose elements may be literals of any kind.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object of a literal; of equal names, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { (name: $0.0, value: $0.1) }))
    }
}
