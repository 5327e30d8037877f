/// A field's value, of one of Firestore's types.
public enum Value: Hashable, Sendable {
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
    case map([String: Value])
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
    public var map: [String: Value]? { if case .map(let value) = self { value } else { nil } }
}
