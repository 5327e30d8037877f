import CCurl

/// One connection to an origin: a libcurl multi handle that may open one connection at a time.
///
/// One multi handle for all connections would be the usual way, and libcurl 7.88 opens another connection when the
/// first one has its 100 streams (with `CURLOPT_PIPEWAIT`, all other requests wait until it is established). But then
/// libcurl chooses the connection of each request. It continues to send on a connection whose server is dead, and
/// lets a burst of requests wait for a first response that does not arrive. With one handle for each connection,
/// `ConnectionCapacity` decides this, and an event of a connection visits only its own transfers.
final class Connection {
    typealias Instant = ContinuousClock.Instant

    /// A transfer that libcurl has finished.
    struct Finished {
        let transfer: Transfer
        let handle: EasyHandle
        let code: CURLcode
    }

    private let multi: UnsafeMutableRawPointer
    private var carried: [UnsafeMutableRawPointer: (transfer: Transfer, handle: EasyHandle)] = [:]
    private var timer: ConnectionTimer

    var state: ConnectionCapacity
    /// The sockets that libcurl wants to have watched, and the events; more than one only while it tries several
    /// addresses.
    private(set) var sockets: [curl_socket_t: SocketInterest] = [:]

    init?(state: ConnectionCapacity, streamLimit: Int) {
        guard let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.state = state
        timer = ConnectionTimer()
        configure(streamLimit: streamLimit)
    }

    deinit {
        // The clean-up reports closed sockets, but this object must not be used any more.
        CCurl_multi_set_socket_callback(multi, nil, nil)
        CCurl_multi_set_timer_callback(multi, nil, nil)
        for pointer in carried.keys { curl_multi_remove_handle(multi, pointer) }
        curl_multi_cleanup(multi)
    }

    /// The time at which libcurl must be called even without an event of a socket; `nil` for none.
    var wakesAt: Instant? { timer.instant }

    /// Adds a prepared transfer. libcurl starts it at the next call of `act`.
    func start(_ transfer: Transfer, on handle: EasyHandle, at now: Instant) {
        carried[handle.pointer] = (transfer, handle)
        transfer.connection = self
        state.started(at: now)
        curl_multi_add_handle(multi, handle.pointer)
    }

    /// Removes a transfer before it is finished, and returns its handle. On HTTP/2, libcurl resets the stream.
    func abandon(_ transfer: Transfer) -> EasyHandle? {
        guard let (pointer, entry) = carried.first(where: { $0.value.transfer === transfer }) else { return nil }
        release(pointer)
        return entry.handle
    }

    /// Calls libcurl if its timer has expired.
    func act(at now: Instant) {
        guard timer.isDue(at: now) else { return }
        timer.clear()
        act(on: CCurl_socket_timeout, events: 0)
    }

    /// Calls libcurl for the events of a socket.
    func act(on socket: curl_socket_t, events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
    }

    /// Returns the next transfer that libcurl has finished; `nil` if there is none.
    func nextFinished() -> Finished? {
        var code = CURLE_OK
        guard let pointer = CCurl_multi_next_finished(multi, &code), let entry = carried[pointer] else { return nil }
        release(pointer)
        return Finished(transfer: entry.transfer, handle: entry.handle, code: code)
    }

    private func release(_ pointer: UnsafeMutableRawPointer) {
        carried[pointer]?.transfer.connection = nil
        carried[pointer] = nil
        curl_multi_remove_handle(multi, pointer)
    }
}

extension Connection {
    private func configure(streamLimit: Int) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        CCurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
        CCurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 1)
        CCurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 1)
        CCurl_multi_set_long(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
        CCurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streamLimit)
        CCurl_multi_set_socket_callback(multi, noteSocket, context)
        CCurl_multi_set_timer_callback(multi, noteTimer, context)
    }

    fileprivate func watch(_ socket: curl_socket_t, _ what: Int32) {
        sockets[socket] = what == CURL_POLL_REMOVE ? nil : SocketInterest(what)
    }

    fileprivate func wake(afterMilliseconds milliseconds: Int) {
        timer.set(afterMilliseconds: milliseconds)
    }
}

/// libcurl's callback that requests to watch a socket. The context is the connection.
private func noteSocket(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

/// libcurl's callback that sets its timer. The context is the connection.
private func noteTimer(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().wake(afterMilliseconds: milliseconds)
    return 0
}

/// The single timer that a libcurl multi handle requires from its owner (`CURLMOPT_TIMERFUNCTION(3)`).
struct ConnectionTimer {
    private(set) var instant: ContinuousClock.Instant?

    /// Replaces the timer. A negative time removes it.
    mutating func set(afterMilliseconds milliseconds: Int) {
        instant = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    mutating func clear() {
        instant = nil
    }

    func isDue(at now: ContinuousClock.Instant) -> Bool {
        instant.map { $0 <= now } ?? false
    }
}
