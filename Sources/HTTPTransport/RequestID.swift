/// Names one request of one client, so that it can be cancelled.
struct RequestID: Sendable, Hashable {
    let number: UInt64
}
