import DequeModule

/// The last changes of documents by other engines, in the order in which this one has learned of them.
struct OthersChanges: Sendable {
    /// The greatest number of changes that are remembered.
    static let most = 4_096

    private var paths: Deque<DocumentPath> = []
    /// The number of changes before those that are remembered.
    private var dropped = 0

    /// The number of changes so far.
    var position: Int { dropped + paths.count }

    mutating func note(_ path: DocumentPath) {
        if paths.count == Self.most {
            paths.removeFirst()
            dropped += 1
        }
        paths.append(path)
    }

    /// Notes that any document may have been changed.
    mutating func noteUnknown() {
        dropped = position + 1
        paths = []
    }

    /// Returns `true` if one of some documents, or of a collection's, was changed after a position, or may have been.
    func concern(_ documents: [DocumentPath], _ collection: CollectionPath, after position: Int) -> Bool {
        guard position >= dropped else { return true }
        return paths.dropFirst(position - dropped).contains { $0.isIn(collection) || documents.contains($0) }
    }
}
