import Synchronization

/// The memory for what requests become when they are decoded, of all calls together. It is counted in elements, of
/// which each takes some 100 to 200 bytes. It is refused rather than waited for, like that for the bytes of requests.
final class RequestMemory: Sendable {
    /// The number up to which the elements of a request are not counted.
    private static let few = 16_384

    private let most: Int
    private let used = Mutex(0)

    /// Makes the memory.
    ///
    /// - Parameter elements: the greatest number of elements of all requests together. One request of any valid size
    ///   fits into the default.
    init(elements: Int = RequestLimits.elements) { most = elements }

    /// Reserves the memory of a request. The reservation ends when it is released.
    ///
    /// - Returns: `nil` for a small request.
    /// - Throws: `RESOURCE_EXHAUSTED` if too many large requests are in memory.
    func reserve(_ elements: Int) throws(FirestoreStatus) -> RequestReservation? {
        guard elements > Self.few else { return nil }
        let isFree = used.withLock { used in
            guard used + elements <= most else { return false }
            used += elements
            return true
        }
        guard isFree else {
            throw FirestoreStatus(
                .resourceExhausted, "too many large messages are being handled; send this one again later")
        }
        return RequestReservation { [self] in used.withLock { $0 -= elements } }
    }
}

/// Memory that is reserved until the last reference to this object is released.
final class RequestReservation: Sendable {
    private let release: @Sendable () -> Void

    fileprivate init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
