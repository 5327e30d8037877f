/// The changes of a database's documents since the last ones that a ``ChangeListener`` returned.
public struct Changes: Sendable {
    /// The kinds of changes.
    public enum Content: Sendable {
        /// The changed documents, each once in its newest state; none if only the time has passed.
        case documents([DocumentChange])
        /// There were too many changes for the memory of a listener, or the database was emptied: read again.
        case missed
    }

    /// The time up to which the changes are complete, a commit at this time included.
    public let readTime: Timestamp
    /// The changes.
    public let content: Content

    /// Makes changes. An engine calls this.
    public init(readTime: Timestamp, content: Content) {
        self.readTime = readTime
        self.content = content
    }
}

/// A document that was created, changed or removed, in its newest state.
public struct DocumentChange: Sendable {
    /// The document's path.
    public let path: DocumentPath
    /// The document in its newest state; `nil` if it was removed, or if its fields cannot be read.
    public let after: Document?
    /// The time of the last commit that changed the document.
    public let time: Timestamp

    /// Makes a change. An engine calls this.
    public init(path: DocumentPath, after: Document?, time: Timestamp) {
        self.path = path
        self.after = after
        self.time = time
    }
}
