/// Names one request of one client, so that it can be cancelled.
public struct RequestID: Sendable, Hashable {
    let number: UInt64
}
