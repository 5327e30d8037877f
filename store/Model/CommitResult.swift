/// The result of a commit.
public struct CommitResult: Sendable {
    /// The time of the commit, later than that of each commit before it.
    public let commitTime: Timestamp
    /// The update time of each write's document, in the order of the writes: the commit's time, an older time if the
    /// write changed nothing, or `nil` for a delete and for a write that only verifies.
    public let updateTimes: [Timestamp?]
    /// The results of the writes that have transforms, by the writes' positions.
    private let transformed: [Int: [Value]]

    /// Makes a result. An engine calls this.
    ///
    /// - Parameters:
    ///   - commitTime: the time of the commit.
    ///   - updateTimes: the update time of each write's document.
    ///   - transformed: the results of the writes that have transforms, by the writes' positions.
    public init(commitTime: Timestamp, updateTimes: [Timestamp?], transformed: [Int: [Value]] = [:]) {
        self.commitTime = commitTime
        self.updateTimes = updateTimes
        self.transformed = transformed
    }

    /// Returns the results of a write's transforms, in their order: the field's new value, or null for a union or a
    /// removal.
    ///
    /// - Parameter position: the position of the write in the commit, from 0.
    public func transformResults(ofWrite position: Int) -> [Value] { transformed[position] ?? [] }
}
