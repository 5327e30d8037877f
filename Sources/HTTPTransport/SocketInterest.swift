internal import CCurl

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What is to be known of a socket, in `poll(2)`'s terms on one side and libcurl's on the other.
struct SocketInterest {
    let pollEvents: Int16

    /// From what libcurl asks for (`CURLMOPT_SOCKETFUNCTION(3)`).
    init(_ what: Int32) {
        var events: Int32 = 0
        if what & CURL_POLL_IN != 0 { events |= Int32(POLLIN) }
        if what & CURL_POLL_OUT != 0 { events |= Int32(POLLOUT) }
        pollEvents = Int16(truncatingIfNeeded: events)
    }

    /// What `poll` has found, as libcurl wants to be told (`curl_multi_socket_action(3)`).
    static func curlEvents(_ pollEvents: Int16) -> Int32 {
        let found = Int32(pollEvents)
        var events: Int32 = 0
        if found & Int32(POLLIN) != 0 || found & Int32(POLLHUP) != 0 { events |= CURL_CSELECT_IN }
        if found & Int32(POLLOUT) != 0 { events |= CURL_CSELECT_OUT }
        if found & (Int32(POLLERR) | Int32(POLLNVAL)) != 0 { events |= CURL_CSELECT_ERR }
        return events
    }
}
