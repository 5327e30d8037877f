/// The result of a commit.
public struct CommitResult: Sendable {
    /// The update times of writes. Most commits have one, which is inline, so that nothing is allocated for it.
    private enum Times: Sendable {
        case one(Timestamp?)
        case several([Timestamp?])
    }

    /// The time of the commit, later than that of each commit before it.
    public let commitTime: Timestamp
    private let times: Times
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
        times = .several(updateTimes)
        self.transformed = transformed
    }

    /// Makes the result of a commit of one write.
    init(commitTime: Timestamp, updateTime: Timestamp?, transformed: [Int: [Value]]) {
        self.commitTime = commitTime
        times = .one(updateTime)
        self.transformed = transformed
    }

    /// The update time of each write's document, in the order of the writes: the commit's time, an older time if the
    /// write changed nothing, or `nil` for a delete and for a write that only verifies.
    public var updateTimes: [Timestamp?] {
        switch times {
        case .one(let time): [time]
        case .several(let times): times
        }
    }

    /// Returns the results of a write's transforms, in their order: the field's new value, or null for a union or a
    /// removal.
    ///
    /// - Parameter position: the position of the write in the commit, from 0.
    public func transformResults(ofWrite position: Int) -> [Value] { transformed[position] ?? [] }
}
