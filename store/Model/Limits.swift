/// Firestore's limits ([quotas](https://firebase.google.com/docs/firestore/quotas)).
enum Limits {
    /// Bytes of a document, counted as ``StorageSize`` counts.
    static let documentSize = 1_048_576
    /// Bytes of one field's value.
    static let valueSize = 1_048_487
    /// UTF-8 bytes of an id or a field name.
    static let nameSize = 1_500
    /// Segments of a path.
    static let pathSegments = 100
    /// Maps and arrays around a value.
    static let depth = 20
}
