/// The member names of Firestore's REST encoding of a value
/// ([Value](https://firebase.google.com/docs/firestore/reference/rest/v1/Value)).
enum ValueKey: String {
    case null = "nullValue"
    case boolean = "booleanValue"
    case integer = "integerValue"
    case double = "doubleValue"
    case timestamp = "timestampValue"
    case string = "stringValue"
    case bytes = "bytesValue"
    case reference = "referenceValue"
    case geoPoint = "geoPointValue"
    case array = "arrayValue"
    case map = "mapValue"

    /// Returns the type whose name begins with these two letters. No two names begin with the same two; of most, the
    /// first is enough.
    static func beginning(with first: UInt8, _ second: UInt8) -> ValueKey? {
        switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
        case ("n", _): .null
        case ("b", "o"): .boolean
        case ("b", _): .bytes
        case ("i", _): .integer
        case ("d", _): .double
        case ("t", _): .timestamp
        case ("s", _): .string
        case ("r", _): .reference
        case ("g", _): .geoPoint
        case ("a", _): .array
        case ("m", _): .map
        default: nil
        }
    }

    /// The raw value, for comparing bytes.
    var word: StaticString {
        switch self {
        case .null: "nullValue"
        case .boolean: "booleanValue"
        case .integer: "integerValue"
        case .double: "doubleValue"
        case .timestamp: "timestampValue"
        case .string: "stringValue"
        case .bytes: "bytesValue"
        case .reference: "referenceValue"
        case .geoPoint: "geoPointValue"
        case .array: "arrayValue"
        case .map: "mapValue"
        }
    }

    static let values = "values"
    static let fields = "fields"
    static let latitude = "latitude"
    static let longitude = "longitude"
}

/// The texts of the doubles that JSON cannot write as numbers.
enum SpecialDouble {
    static let notANumber = "NaN"
    static let infinity = "Infinity"
    static let negativeInfinity = "-Infinity"

    static func text(_ value: Double) -> String? {
        if value.isNaN { return notANumber }
        return value.isInfinite ? (value < 0 ? negativeInfinity : infinity) : nil
    }

    static func value(_ text: String) -> Double? {
        switch text {
        case notANumber: .nan
        case infinity: .infinity
        case negativeInfinity: -.infinity
        default: nil
        }
    }
}
