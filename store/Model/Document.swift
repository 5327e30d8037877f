/// A document as it was read: its path, its fields, and the times of its creation and last change.
public struct Document: Hashable, Sendable {
    /// The path, unique within the database.
    public let path: DocumentPath
    /// The fields, by name.
    public let fields: Fields
    /// The time of the commit that created the document.
    public let createTime: Timestamp
    /// The time of the last commit that changed the document.
    public let updateTime: Timestamp

    /// Makes a document from its parts. The store makes those that it reads.
    public init(path: DocumentPath, fields: Fields, createTime: Timestamp, updateTime: Timestamp) {
        self.path = path
        self.fields = fields
        self.createTime = createTime
        self.updateTime = updateTime
    }

    /// The value of the top-level field with that name; `nil` if there is none.
    public subscript(name: String) -> Value? { fields[name] }
}
