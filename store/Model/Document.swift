/// A document's fields, by name.
public typealias Fields = [String: Value]

/// A document as it was read: where it is, what it holds, and when it was made and last changed.
public struct Document: Hashable, Sendable {
    public let path: DocumentPath
    public let fields: Fields
    public let createTime: Timestamp
    public let updateTime: Timestamp

    public init(path: DocumentPath, fields: Fields, createTime: Timestamp, updateTime: Timestamp) {
        self.path = path
        self.fields = fields
        self.createTime = createTime
        self.updateTime = updateTime
    }

    /// The top-level field of that name.
    public subscript(name: String) -> Value? { fields[name] }
}
