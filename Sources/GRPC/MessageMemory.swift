import Synchronization

/// The memory for the large messages of all calls together. It is refused rather than waited for: a call that waits
/// would keep its stream, and those that have memory could wait for it.
package final class MessageMemory: Sendable {
    /// The size up to which messages are not counted.
    private static let smallBytes = 64 * 1_024
    /// The greatest factor by which gzip can shrink a message (https://zlib.net/zlib_tech.html).
    private static let gzipFactor = 1_032

    private let maximumBytes: Int
    private let used = Mutex(0)

    /// Creates the memory.
    ///
    /// - Parameter maximumBytes: The maximum size of all large messages together. A commit takes some four times the
    ///   size of its message while it is written.
    package init(maximumBytes: Int = 128 << 20) { self.maximumBytes = maximumBytes }

    /// Reserves the memory for a message, before it has arrived. The reservation ends when it is released.
    ///
    /// - Parameters:
    ///   - bytes: The size of the message as it is sent; `nil` if it is not known.
    ///   - isCompressed: `true` if it is sent with gzip.
    ///   - limit: The maximum size of a message without compression.
    /// - Returns: `nil` for a small message.
    /// - Throws: `RESOURCE_EXHAUSTED` if too many large messages are in memory.
    package func reserve(
        _ bytes: Int?, isCompressed: Bool, limit: Int
    ) throws(GRPCStatus) -> MessageReservation? {
        let factor = isCompressed ? Self.gzipFactor : 1
        let size = bytes.map { $0 > limit / factor ? limit : $0 * factor } ?? limit
        guard size > Self.smallBytes else { return nil }
        let isFree = used.withLock { used in
            guard used + size <= maximumBytes else { return false }
            used += size
            return true
        }
        guard isFree else { throw .outOfMemory }
        return MessageReservation { [self] in used.withLock { $0 -= size } }
    }
}

/// Memory that is reserved until the last reference to this object is released.
package final class MessageReservation: Sendable {
    private let release: @Sendable () -> Void

    fileprivate init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
