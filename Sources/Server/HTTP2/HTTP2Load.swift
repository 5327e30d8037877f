import Synchronization

/// The number of requests in progress on all HTTP/2 connections of a listener, those on closed streams too. Calls of
/// gRPC do not count: many of them listen for hours.
///
/// A connection's budget of resets limits one connection. A client that opens one after the other, and resets each
/// stream at once (CVE-2023-44487), leaves requests behind faster than they are served, and each takes some 40 KB once
/// it has begun.
final class HTTP2Load: Sendable {
    /// The number of requests from which those on closed streams that have not begun are dropped.
    static let maximum = 100

    private let requests = Atomic(0)

    /// `true` if more requests are in progress than a listener serves for clients that do not wait for them.
    var isHigh: Bool { requests.load(ordering: .relaxed) > Self.maximum }

    func begin() { requests.wrappingAdd(1, ordering: .relaxed) }

    func end() { requests.wrappingSubtract(1, ordering: .relaxed) }
}
