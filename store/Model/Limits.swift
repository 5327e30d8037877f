/// Firestore's limits ([quotas](https://firebase.google.com/docs/firestore/quotas)).
enum Limits {
    /// The limit of a document, in bytes as ``StorageSize`` counts them.
    static let documentSize = 1_048_576
    /// The limit of a field's string, in bytes of UTF-8, or of its bytes.
    static let valueSize = 1_048_487
    /// The limit of an id or a field name, in UTF-8 bytes.
    static let nameSize = 1_500
    /// The limit of a path, in segments.
    static let pathSegments = 100
    /// The limit of a stored document's name, in bytes as ``StorageSize`` counts them.
    static let documentName = 6 << 10
    /// The limit of a commit's transforms of one document.
    static let transforms = 500
    /// The limit of maps and arrays around a value.
    static let depth = 20
    /// The limit of a vector, in elements.
    static let vectorDimensions = 2_048
    /// The limit of a document in a database with automatic indexes, in entries.
    static let indexEntries = 40_000
    /// The limit of an entry, in bytes as ``StorageSize`` counts them.
    static let indexEntrySize = 7_680
    /// The limit of a document's entries together, in bytes.
    static let indexEntriesSize = 8 << 20
}
