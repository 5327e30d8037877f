internal import CCurl

/// One connection to an origin: a libcurl multi handle that may open no more than one at a time.
///
/// One multi handle for all connections would be the usual way, and libcurl 7.88 does open another connection when the
/// first has its 100 streams (with `CURLOPT_PIPEWAIT` everything else waits until it stands). But then libcurl alone
/// chooses who goes where, and it goes on sending on a connection whose server is dead, and lets a burst wait for a first
/// answer that does not come. With a handle each that is `ConnectionState`'s to decide, and a connection's news visits only
/// the transfers that are on it.
final class Connection {
    typealias Instant = ContinuousClock.Instant

    /// A transfer that libcurl has finished with.
    struct Finished {
        let transfer: Transfer
        let handle: EasyHandle
        let code: CURLcode
    }

    private let multi: UnsafeMutableRawPointer
    private var carried: [UnsafeMutableRawPointer: (transfer: Transfer, handle: EasyHandle)] = [:]
    private var timer: ConnectionTimer

    var state: ConnectionState
    /// What libcurl wants to know of which sockets; more than one only while it tries several addresses.
    private(set) var sockets: [curl_socket_t: SocketInterest] = [:]

    init?(state: ConnectionState, streamLimit: Int) {
        guard let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.state = state
        timer = ConnectionTimer()
        configure(streamLimit: streamLimit)
    }

    deinit {
        // Cleaning up reports closed sockets, to an object that is on its way out.
        CCurl_multi_set_socket_callback(multi, nil, nil)
        CCurl_multi_set_timer_callback(multi, nil, nil)
        for pointer in carried.keys { curl_multi_remove_handle(multi, pointer) }
        curl_multi_cleanup(multi)
    }

    /// When libcurl wants to be called although no socket has news; `nil` for never.
    var wakesAt: Instant? { timer.instant }

    /// Hands a prepared transfer to libcurl, which starts it at the next call of `act`.
    func start(_ transfer: Transfer, on handle: EasyHandle, at now: Instant) {
        carried[handle.pointer] = (transfer, handle)
        transfer.connection = self
        state.started(at: now)
        curl_multi_add_handle(multi, handle.pointer)
    }

    /// Takes a transfer back before it is finished; on HTTP/2 the server is sent a reset of the stream.
    func abandon(_ transfer: Transfer) -> EasyHandle? {
        guard let (pointer, entry) = carried.first(where: { $0.value.transfer === transfer }) else { return nil }
        release(pointer)
        return entry.handle
    }

    /// Lets libcurl do what the passing of time asks for.
    func act(at now: Instant) {
        guard timer.isDue(at: now) else { return }
        timer.clear()
        act(on: CCurl_socket_timeout, events: 0)
    }

    /// Lets libcurl do what a socket's news asks for.
    func act(on socket: curl_socket_t, events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
    }

    /// The next transfer that libcurl has finished with.
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

/// libcurl's wish to have a socket watched; its context is the connection.
private func noteSocket(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

/// libcurl's wish to be called later; its context is the connection.
private func noteTimer(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().wake(afterMilliseconds: milliseconds)
    return 0
}
