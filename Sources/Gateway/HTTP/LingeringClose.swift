internal import NIOCore

/// The event that a connection's last answer has been written.
struct LingeringBegan {}

/// The time for which a connection is read on after its last answer (RFC 9112 §9.6).
///
/// A client that writes its whole request before it reads would lose the answer to a reset if the connection were closed
/// while bytes still come.
struct LingeringClose {
    /// Without a byte.
    static let silence = TimeAmount.seconds(5)
    static let duration = TimeAmount.seconds(30)
    /// As much as a client may have of a body that nobody reads.
    static let bytes = 64 * 1024 * 1024

    private let deadline: NIODeadline
    private var received = 0
    private var isSilent = true

    init(at now: NIODeadline) { deadline = now + Self.duration }

    /// - Returns: whether to read on.
    mutating func receive(_ count: Int) -> Bool {
        received += count
        isSilent = false
        return received <= Self.bytes
    }

    /// Asks each ``silence``.
    ///
    /// - Returns: whether to read on.
    mutating func readsOn(at now: NIODeadline) -> Bool {
        defer { isSilent = true }
        return !isSilent && now < deadline
    }
}
