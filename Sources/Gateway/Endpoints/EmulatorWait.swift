internal import Hummingbird

/// For how many to wait, and how long at most: `wait_for` and `timeout`, in seconds, of a query.
struct EmulatorWait {
    /// The longest a request may wait, in seconds.
    private static let maximumTimeout = 60

    let count: Int
    let bound: Duration

    init(_ query: Parameters) throws(APIError) {
        count = try query.integer("wait_for", in: 1...10_000) ?? 0
        bound = .seconds(try query.integer("timeout", in: 0...Self.maximumTimeout) ?? 10)
    }
}
