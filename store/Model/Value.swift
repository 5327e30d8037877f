/// A value of a field, of one of Firestore's types.
public enum Value: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case timestamp(Timestamp)
    case string(String)
    case bytes([UInt8])
    /// The full name of a document, `projects/{p}/databases/{d}/documents/{path}`.
    case reference(String)
    case geoPoint(latitude: Double, longitude: Double)
    /// An array; it may hold maps, and those arrays, but no array directly.
    case array([Value])
    case map([String: Value])
}

extension Value {
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var timestamp: Timestamp? { if case .timestamp(let value) = self { value } else { nil } }
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var array: [Value]? { if case .array(let value) = self { value } else { nil } }
    public var map: [String: Value]? { if case .map(let value) = self { value } else { nil } }
}
