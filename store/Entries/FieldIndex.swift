/// An index by one field over a collection group, for queries that filter and order by it.
///
/// An index of one type contains the documents whose field has this type. Documents with another type do not match a
/// filter with a constant of this type. An index of all types contains each document with the field, in Firestore's
/// order, and serves every comparison and order; it takes more space, and more time at each write.
public struct FieldIndex: Sendable {
    /// The types of values that an index of one type can contain.
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
    /// The type of the indexed values; `nil` for values of all types.
    public let type: ValueType?

    /// Declares an index.
    public init(collectionGroup: String, field: FieldPath, type: ValueType? = nil) {
        self.collectionGroup = collectionGroup
        self.field = field
        self.type = type
    }
}

extension FieldIndex: Hashable {
    /// Compares the bytes of the names, and the types.
    public static func == (left: FieldIndex, right: FieldIndex) -> Bool {
        left.collectionGroup.hasSameBytes(as: right.collectionGroup) && left.field == right.field
            && left.type == right.type
    }

    /// Hashes the bytes of the names, and the type.
    public func hash(into hasher: inout Hasher) {
        collectionGroup.hashBytes(into: &hasher)
        hasher.combine(field)
        hasher.combine(type)
    }
}

extension FieldIndex {
    /// Checks the names.
    ///
    /// - Throws: `INVALID_ARGUMENT` if an index cannot have them.
    package func validate() throws(StoreError) {
        try PathText.validateID(collectionGroup)
        try field.validate()
    }
}

extension Sequence<FieldIndex> {
    /// Returns the fields with an index over a collection group, each once.
    package func fields(of collectionGroup: String) -> [FieldPath] {
        var fields: [FieldPath] = []
        for index in self where index.collectionGroup.hasSameBytes(as: collectionGroup) {
            if !fields.contains(index.field) { fields.append(index.field) }
        }
        return fields
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
