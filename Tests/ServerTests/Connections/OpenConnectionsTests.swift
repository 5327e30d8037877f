import NIOCore
import NIOEmbedded
import TestDoubles
import Testing

@testable import Server

@Suite("Open connections", .timeLimit(.minutes(10)))
struct OpenConnectionsTests {
    private let log = CollectedLog()

    private func connections(_ capacity: Int) -> OpenConnections {
        OpenConnections(capacity: capacity, logger: log.logger)
    }

    private func channel(_ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
        return channel
    }

    private func run(_ channels: [EmbeddedChannel]) { for channel in channels { channel.embeddedEventLoop.run() } }

    @Test("At capacity the oldest idle connection of the busiest address is closed, and the log says so")
    func most() throws {
        let open = connections(4)
        let channels = try ["10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2", "10.0.0.3"].map(channel)
        let counted = channels.map { open.add($0) }
        run(channels)
        #expect(channels.map(\.isActive) == [true, false, true, true, true])
        #expect(log.lines.contains { $0.contains("closing idle connections") })
        #expect(counted.count == 5)
    }

    @Test("A connection is remembered after its end")
    func remembered() throws {
        let open = connections(1)
        #expect(!open.hasHadAny)
        let only = try channel("10.0.0.1")
        _ = open.add(only)
        _ = try only.finish()
        #expect(open.hasHadAny)
    }

    @Test("At capacity a connection with a request stays open, and an IPv6 network counts as one address")
    func busy() throws {
        let open = connections(3)
        let channels = try ["2001:db8::1", "2001:db8::2", "10.0.0.2"].map(channel)
        let counted = channels.map { open.add($0) }
        counted[0].requestBegan()
        let next = try channel("2001:db8::3")
        _ = open.add(next)
        run(channels + [next])
        #expect(channels.map(\.isActive) == [true, false, true])
        #expect(next.isActive)
    }

    @Test("At capacity a new connection is closed if all others have requests")
    func full() throws {
        let open = connections(2)
        let channels = try ["10.0.0.1", "10.0.0.1"].map(channel)
        let counted = channels.map { open.add($0) }
        for connection in counted { connection.requestBegan() }
        let next = try channel("10.0.0.2")
        _ = open.add(next)
        run(channels + [next])
        #expect(channels.map(\.isActive) == [true, true])
        #expect(!next.isActive)
    }

    @Test("A connection is idle from the end of its last request")
    func idle() throws {
        let connection = connections(2).add(try channel("10.0.0.1"))
        let first = try #require(connection.idleSince)
        connection.requestBegan()
        connection.requestBegan()
        connection.requestEnded()
        #expect(connection.idleSince == nil)
        connection.requestEnded()
        #expect(try #require(connection.idleSince) >= first)
    }

    @Test("A closed connection does not count towards the capacity")
    func closed() throws {
        let open = connections(2)
        let gone = try channel("10.0.0.1")
        _ = open.add(gone)
        try gone.close().wait()
        run([gone])
        let channels = try ["10.0.0.1", "10.0.0.1"].map(channel)
        for channel in channels { _ = open.add(channel) }
        run(channels)
        #expect(channels.map(\.isActive) == [true, true])
    }

    @Test(
        "A sixteenth of the descriptors is reserved for files, at least 64 and at most half",
        arguments: [
            (40, 20), (256, 192), (1_024, 960), (65_536, 61_440),
        ])
    func reserve(limit: Int, expected: Int) { #expect(DescriptorLimit(count: limit).connections == expected) }
}
