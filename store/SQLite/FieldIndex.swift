/// An index by one field over a collection group, for queries that filter and order by it.
///
/// It holds the documents whose field has the type; those of another type are not in it, as they do not match a
/// filter with a constant of this one. Numbers have none: an integer and a double compare as numbers, which SQLite's
/// JSON functions cannot express exactly.
public struct FieldIndex: Hashable, Sendable {
    public enum ValueType: String, Hashable, Sendable {
        case boolean = "booleanValue"
        case timestamp = "timestampValue"
        case string = "stringValue"
    }

    /// The id of the collections, at any depth.
    public let collectionGroup: String
    public let field: FieldPath
    public let type: ValueType

    public init(collectionGroup: String, field: FieldPath, type: ValueType) {
        self.collectionGroup = collectionGroup
        self.field = field
        self.type = type
    }
}

extension FieldIndex.ValueType {
    /// The type that a constant of a filter has, when it is one of those that have indexes.
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
