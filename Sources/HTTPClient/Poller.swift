import CCurl

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A wait for events of the wake-up pipe and all sockets, by `poll(2)`: there are at most as many sockets as
/// connections.
struct Poller {
    /// A socket with events.
    struct Event {
        let connection: Connection
        let socket: curl_socket_t
        let curlEvents: Int32
    }

    private let wakeUp: pollfd
    private var descriptors: [pollfd] = []
    private var owners: [Connection] = []

    init(wakeUp descriptor: Int32) {
        wakeUp = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// `true` if the last wait ended because of the wake-up pipe.
    var wasWoken: Bool { descriptors.first.map { $0.revents != 0 } ?? false }

    /// Removes all sockets.
    mutating func reset() {
        descriptors.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        descriptors.append(wakeUp)
    }

    mutating func watch(_ connection: Connection) {
        for (socket, interest) in connection.sockets {
            descriptors.append(pollfd(fd: socket, events: interest.pollEvents, revents: 0))
            owners.append(connection)
        }
    }

    /// Waits for an event until the instant.
    mutating func wait(until instant: ContinuousClock.Instant) {
        let milliseconds = max(.zero, ContinuousClock.now.duration(to: instant)).wholeMilliseconds
        // An interrupted wait has no events.
        if poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds)) < 0 {
            for index in descriptors.indices { descriptors[index].revents = 0 }
        }
    }

    /// The sockets with events.
    var events: [Event] {
        zip(descriptors.dropFirst(), owners).compactMap { descriptor, owner in
            guard descriptor.revents != 0 else { return nil }
            let curlEvents = SocketInterest.curlEvents(descriptor.revents)
            return Event(connection: owner, socket: descriptor.fd, curlEvents: curlEvents)
        }
    }
}

/// The events to watch on a socket, in terms of `poll(2)` and of libcurl.
struct SocketInterest {
    let pollEvents: Int16

    /// Converts libcurl's request (`CURLMOPT_SOCKETFUNCTION(3)`).
    init(_ what: Int32) {
        var events: Int32 = 0
        if what & CURL_POLL_IN != 0 { events |= Int32(POLLIN) }
        if what & CURL_POLL_OUT != 0 { events |= Int32(POLLOUT) }
        pollEvents = Int16(truncatingIfNeeded: events)
    }

    /// Converts the result of `poll` for libcurl (`curl_multi_socket_action(3)`).
    static func curlEvents(_ pollEvents: Int16) -> Int32 {
        let found = Int32(pollEvents)
        var events: Int32 = 0
        if found & Int32(POLLIN) != 0 || found & Int32(POLLHUP) != 0 { events |= CURL_CSELECT_IN }
        if found & Int32(POLLOUT) != 0 { events |= CURL_CSELECT_OUT }
        if found & (Int32(POLLERR) | Int32(POLLNVAL)) != 0 { events |= CURL_CSELECT_ERR }
        return events
    }
}
