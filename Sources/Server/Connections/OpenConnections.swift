import IPAddresses
package import Logging
import Metrics
import NIOCore
import Synchronization

/// The connections to all listeners, limited so that file descriptors do not run out.
///
/// There is no limit for each address: an SDK opens 500 connections, and a proxy holds those of all its clients. If
/// there are too many in total, the oldest idle connection of the address with the most idle ones is closed.
package final class OpenConnections: Sendable {
    /// The minimum time between two log lines.
    private static let reportInterval = TimeAmount.seconds(10)

    private struct State {
        var open: [ObjectIdentifier: OpenConnection] = [:]
        /// The connections that are being closed but are still open.
        var closing: Set<ObjectIdentifier> = []
        var hasHadAny = false
        var unreported = 0
        var nextReport = NIODeadline.uptimeNanoseconds(0)
    }

    private let capacity: Int
    private let logger: Logger
    private let state = Mutex(State())
    private let gauge = Meter(label: "pushgate_connections_open")
    private let closed = Counter(
        label: "pushgate_connections_closed_total", dimensions: [("reason", "descriptors")])

    /// Creates an empty set of connections.
    ///
    /// - Parameter capacity: The maximum number of open connections.
    package init(capacity: Int, logger: Logger) {
        self.capacity = capacity
        self.logger = logger
    }

    /// `true` if there has been a connection, even if it is closed.
    package var hasHadAny: Bool { state.withLock(\.hasHadAny) }

    /// Counts a new connection until it is closed, and closes others if there are too many.
    func add(_ channel: any Channel) -> OpenConnection {
        let connection = OpenConnection(channel)
        let evicted = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = connection
            state.hasHadAny = true
            let excess = state.open.count - state.closing.count - capacity
            return excess > 0 ? evict(max(excess, batch), &state) : []
        }
        gauge.increment()
        connection.whenClosed { self.remove(ObjectIdentifier(connection)) }
        close(evicted)
        return connection
    }

    /// Closes idle connections after descriptors have run out in spite of the limit.
    func relieve() { close(state.withLock { evict(batch, &$0) }) }

    /// The minimum number of connections to close at once. In a flood of connections, one search through all of them
    /// then serves several.
    private var batch: Int { max(1, capacity / 512) }

    private func remove(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.open[id] = nil
            state.closing.remove(id)
        }
        gauge.decrement()
    }

    private func evict(_ count: Int, _ state: inout State) -> [OpenConnection] {
        let closing = state.closing
        let candidates = state.open.lazy.filter { !closing.contains($0.key) }.map(\.value)
        let evicted = Eviction.choose(count, among: candidates)
        state.closing.formUnion(evicted.map { ObjectIdentifier($0) })
        state.unreported += evicted.count
        return evicted
    }

    private func close(_ connections: [OpenConnection]) {
        guard let first = connections.first else { return }
        for connection in connections { connection.close() }
        closed.increment(by: connections.count)
        report(first.address)
    }

    private func report(_ address: IPAddress?) {
        let now = NIODeadline.now()
        let counts = state.withLock { state -> (closed: Int, open: Int)? in
            guard now >= state.nextReport else { return nil }
            defer { (state.unreported, state.nextReport) = (0, now + Self.reportInterval) }
            return (state.unreported, state.open.count)
        }
        guard let counts else { return }
        logger.warning(
            "closing idle connections; file descriptors are running out",
            metadata: [
                "closed": "\(counts.closed)", "open": "\(counts.open)", "most": "\(capacity)",
                "client": "\(address?.limitKey ?? "unknown")",
            ])
    }
}

/// A connection to one of the listeners.
///
/// Atomics count its requests, because requests begin and end much more often than the counts are read.
final class OpenConnection: Sendable {
    private let channel: any Channel
    private let requests = Atomic<Int>(0)
    private let idleNanoseconds: Atomic<UInt64>

    init(_ channel: any Channel) {
        self.channel = channel
        idleNanoseconds = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// The client's address; `nil` if it is not known, or not yet.
    var address: IPAddress? { channel.remoteAddress.flatMap(IPAddress.init) }

    func requestBegan() { requests.wrappingAdd(1, ordering: .relaxed) }

    func requestEnded() {
        guard requests.wrappingSubtract(1, ordering: .relaxed).newValue <= 0 else { return }
        idleNanoseconds.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
    }

    /// The time since which no request is in progress; `nil` if one is in progress.
    var idleSince: NIODeadline? {
        guard requests.load(ordering: .relaxed) <= 0 else { return nil }
        return .uptimeNanoseconds(idleNanoseconds.load(ordering: .relaxed))
    }

    func whenClosed(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }

    /// Closes the socket at once. An orderly end of TLS would keep the descriptor open for a while.
    func close() {
        channel.eventLoop.execute { [channel] in
            let context = try? channel.pipeline.syncOperations.context(handlerType: WriteDeadlineHandler.self)
            if let context { context.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }
}

/// The rule that chooses the connections to close so that others can be accepted.
enum Eviction {
    /// Returns the oldest idle connections of the address with the most idle ones; empty if no connection is idle.
    static func choose(_ count: Int, among connections: some Sequence<OpenConnection>) -> [OpenConnection] {
        var idle: [ArraySlice<UInt8>: [(connection: OpenConnection, since: NIODeadline)]] = [:]
        for connection in connections {
            guard let since = connection.idleSince else { continue }
            idle[network(of: connection.address), default: []].append((connection, since))
        }
        guard let most = idle.values.max(by: { $0.count < $1.count }) else { return [] }
        if count == 1 { return most.min { $0.since < $1.since }.map { [$0.connection] } ?? [] }
        return most.sorted { $0.since < $1.since }.prefix(count).map(\.connection)
    }

    /// Returns the bytes of an IPv4 address or of an IPv6 /64 network.
    private static func network(of address: IPAddress?) -> ArraySlice<UInt8> {
        guard let bytes = address?.bytes else { return [] }
        return bytes.count == 4 ? bytes[...] : bytes.prefix(8)
    }
}
