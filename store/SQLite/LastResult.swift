import Synchronization

/// What a watched query gave last.
final class LastResult: Sendable {
    private let documents = Mutex<[Document]?>(nil)

    /// - Returns: whether this differs from the last, or is the first.
    func update(_ new: [Document]) -> Bool {
        documents.withLock { documents in
            defer { documents = new }
            return documents != new
        }
    }
}
