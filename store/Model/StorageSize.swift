/// What Firestore counts a document, and a value, to weigh in bytes
/// ([storage size](https://firebase.google.com/docs/firestore/storage-size)).
enum StorageSize {
    static func document(_ path: DocumentPath, _ fields: Fields) -> Int {
        name(path.description) + map(fields) + 32
    }

    static func value(_ value: Value) -> Int {
        switch value {
        case .null, .boolean: 1
        case .integer, .double, .timestamp: 8
        case .string(let string): string.utf8.count + 1
        case .bytes(let bytes): bytes.count
        case .reference(let reference): name(reference)
        case .geoPoint: 16
        case .array(let elements): elements.reduce(0) { $0 + self.value($1) }
        case .map(let fields): map(fields)
        }
    }

    private static func map(_ fields: Fields) -> Int {
        fields.reduce(0) { $0 + $1.key.utf8.count + 1 + value($1.value) }
    }

    /// Each segment and one byte more, and 16.
    private static func name(_ path: String) -> Int { path.utf8.count + 1 + 16 }
}
