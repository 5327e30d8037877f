internal import CCurl

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Waits for news on the inbox and on all sockets; `poll(2)`, because there are no more sockets than connections.
struct Poller {
    /// A socket with news.
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

    /// Whether the last wait was ended by the inbox.
    var wasWoken: Bool { descriptors.first.map { $0.revents != 0 } ?? false }

    /// Forgets all sockets.
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

    /// Waits until there is news or `instant` has come.
    mutating func wait(until instant: ContinuousClock.Instant) {
        let milliseconds = max(.zero, ContinuousClock.now.duration(to: instant)).wholeMilliseconds
        // An interrupted wait is one without news.
        if poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds)) < 0 {
            for index in descriptors.indices { descriptors[index].revents = 0 }
        }
    }

    /// The sockets with news.
    var events: [Event] {
        zip(descriptors.dropFirst(), owners).compactMap { descriptor, owner in
            guard descriptor.revents != 0 else { return nil }
            let curlEvents = SocketInterest.curlEvents(descriptor.revents)
            return Event(connection: owner, socket: descriptor.fd, curlEvents: curlEvents)
        }
    }
}
