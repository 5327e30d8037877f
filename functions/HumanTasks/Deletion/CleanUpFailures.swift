/// The failures of a clean-up.
struct CleanUpFailures: Error, CustomStringConvertible {
    private var count = 0
    private var first: (any Error)?

    /// - Throws: A `CancellationError` if the task is cancelled.
    mutating func note(_ error: any Error) throws {
        try Task.checkCancellation()
        count += 1
        first = first ?? error
    }

    func check() throws {
        if count > 0 { throw self }
    }

    var description: String {
        "failed to remove \(count) old tasks or files; the first error: \(first.map { "\($0)" } ?? "")"
    }
}
