/// A field's value, of one of Firestore's types.
public enum Value: Sendable {
    /// The null value, which differs from an absent field.
    case null
    /// A Boolean.
    case boolean(Bool)
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// A moment with a resolution of one microsecond.
    case timestamp(Timestamp)
    /// A text.
    case string(String)
    /// Binary data.
    case bytes([UInt8])
    /// The full name of a document, `projects/{p}/databases/{d}/documents/{path}`.
    case reference(String)
    /// A point on Earth, in degrees: latitude from -90 to 90, longitude from -180 to 180.
    case geoPoint(latitude: Double, longitude: Double)
    /// An array. It may contain maps, which may contain arrays, but it must not contain an array or a vector directly.
    case array([Value])
    /// Fields by name, as in a document. A vector (``vector(_:)``) and each type of BSON are maps with a reserved name.
    case map(Fields)
}

extension Value {
    /// The Boolean; `nil` if this is another type.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The integer; `nil` if this is another type, a double included.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The timestamp; `nil` if this is another type.
    public var timestamp: Timestamp? { if case .timestamp(let value) = self { value } else { nil } }
    /// The text; `nil` if this is another type.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements; `nil` if this is another type.
    public var array: [Value]? { if case .array(let value) = self { value } else { nil } }
    /// The fields of a map, which may be a vector; `nil` if this is another type.
    public var map: Fields? { if case .map(let value) = self { value } else { nil } }
}

/// Values are equal if they are of one case and have the same content: texts the same bytes, 5 is not 5.0, and NaN is
/// not equal to itself.
extension Value: Hashable {
    /// Compares two values.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.reference(let left), .reference(let right)): left.hasSameBytes(as: right)
        case (.geoPoint(let left, let leftEast), .geoPoint(let right, let rightEast)):
            left == right && leftEast == rightEast
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        default: false
        }
    }

    /// Hashes the case and the content.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(caseNumber)
        switch self {
        case .null: break
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .string(let value), .reference(let value): value.hashBytes(into: &hasher)
        case .bytes(let value): hasher.combine(value)
        case .geoPoint(let latitude, let longitude):
            hasher.combine(latitude)
            hasher.combine(longitude)
        case .array(let value): hasher.combine(value)
        case .map(let value): hasher.combine(value)
        }
    }

    private var caseNumber: UInt8 {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .double: 3
        case .timestamp: 4
        case .string: 5
        case .bytes: 6
        case .reference: 7
        case .geoPoint: 8
        case .array: 9
        case .map: 10
        }
    }
}
