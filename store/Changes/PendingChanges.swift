/// The changed documents of one database that a listener has not taken yet, each once in its newest state.
struct PendingChanges {
    /// The number of documents above which a listener reads again rather than keep them.
    private static let mostDocuments = 10_000
    /// The number of bytes above which a listener reads again, 16 MiB.
    private static let mostBytes = 16 << 20

    private var changes: [ChangedDocument] = []
    private var places: [DocumentPath: Int] = [:]
    private var bytes = 0
    /// `true` if changes were dropped.
    private(set) var isIncomplete = false

    var isEmpty: Bool { changes.isEmpty && !isIncomplete }

    /// Adds a change, which replaces an earlier one of the same document.
    mutating func append(_ change: ChangedDocument) {
        guard !isIncomplete else { return }
        bytes += change.size
        if let place = places[change.path] {
            bytes -= changes[place].size
            changes[place] = change
        } else {
            places[change.path] = changes.count
            changes.append(change)
        }
        if changes.count > Self.mostDocuments || bytes > Self.mostBytes { drop() }
    }

    /// Drops all changes, so that the listener has to read again.
    mutating func drop() {
        self = PendingChanges()
        isIncomplete = true
    }

    /// Decodes the changes.
    func content() -> Changes.Content {
        guard !isIncomplete else { return .missed }
        return .documents(changes.map(DocumentChange.init))
    }
}

extension ChangedDocument {
    /// The approximate number of bytes in memory.
    fileprivate var size: Int { path.description.utf8.count + (after?.json.count ?? 0) }
}

extension DocumentChange {
    fileprivate init(_ change: ChangedDocument) {
        self.init(path: change.path, after: try? change.after?.document(at: change.path), time: change.time)
    }
}
