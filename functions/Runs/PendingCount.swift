internal import DocumentStore

/// The number of approvals that wait, which is the badge of every phone.
///
/// `runState/badge`: `pending`
struct PendingCount: Sendable {
    private(set) var value: Int64
    /// The update time of its document; `nil` if there is none.
    private let updateTime: Timestamp?

    init(_ document: Document?) {
        value = document?[RunsDocuments.pending]?.integer ?? 0
        updateTime = document?.updateTime
    }

    func changed(by change: Int) -> PendingCount {
        var count = self
        count.value = max(0, value + Int64(change))
        return count
    }

    /// Stores it, unless another event has changed it meanwhile.
    func write() throws(StoreError) -> Write {
        .set(
            try RunsDocuments.badge(), [RunsDocuments.pending: .integer(value)],
            precondition: updateTime.map(Precondition.updateTime) ?? .exists(false))
    }
}
