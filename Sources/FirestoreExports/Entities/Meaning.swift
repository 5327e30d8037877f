/// The types of properties that a value's own type does not tell, of the published enumeration `Property.Meaning`.
///
/// The other numbers are of Datastore's types, such as telephone numbers.
enum Meaning: Int32, CaseIterable {
    case none = 0
    /// `GD_WHEN`: microseconds since 1970.
    case timestamp = 7
    /// `GEORSS_POINT`
    case geoPoint = 9
    /// `BLOB`
    case bytes = 14
    /// `TEXT`: a string that Datastore does not index.
    case text = 15
    /// `BYTESTRING`: bytes that Datastore indexes.
    case indexedBytes = 16
    /// `ENTITY_PROTO`: a map, as a serialized entity with an empty key.
    case map = 19
    /// `EMPTY_LIST`
    case emptyArray = 24
    /// `VECTOR`: a number of a vector, or an empty vector.
    case vector = 31

    // The types of BSON, which only databases of the Enterprise edition have
    // (https://firebase.google.com/docs/firestore/enterprise/data-types).
    case decimal128 = 32
    /// `BYTES_WITH_SUBTYPE`
    case binary = 33
    case objectID = 34
    /// A map of `pattern` and `options`.
    case regex = 35
    case int32 = 36
    /// A map of `seconds` and `increment`.
    case requestTimestamp = 37
    case minValue = 38
    case maxValue = 39
}
