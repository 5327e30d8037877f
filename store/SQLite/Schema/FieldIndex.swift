/// An index by one field over a collection group, for queries that filter and order by it.
///
/// It contains the documents whose field has the index's type. Documents with another type do not match a filter with
/// a constant of this type. Numbers have no indexes: integers and doubles compare as numbers, which SQLite's JSON
/// functions cannot express exactly.
public struct FieldIndex: Hashable, Sendable {
    /// The types of values that an index can contain.
    public enum ValueType: String, Hashable, Sendable {
        /// Booleans.
        case boolean = "booleanValue"
        /// Timestamps.
        case timestamp = "timestampValue"
        /// Strings.
        case string = "stringValue"
    }

    /// The id of the indexed collections, at any depth.
    public let collectionGroup: String
    /// The indexed field.
    public let field: FieldPath
    /// The type of the indexed values.
    public let type: ValueType

    /// Declares an index.
    public init(collectionGroup: String, field: FieldPath, type: ValueType) {
        self.collectionGroup = collectionGroup
        self.field = field
        self.type = type
    }
}

extension FieldIndex.ValueType {
    /// Returns the type of a filter's constant; `nil` if no index can contain it.
    init?(of value: Value) {
        switch value {
        case .boolean: self = .boolean
        case .timestamp: self = .timestamp
        case .string: self = .string
        default: return nil
        }
    }

    var rank: Value.Rank {
        switch self {
        case .boolean: .boolean
        case .timestamp: .timestamp
        case .string: .string
        }
    }
}
