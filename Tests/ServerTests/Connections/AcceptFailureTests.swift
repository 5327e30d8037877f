import Foundation
import NIOCore
import NIOEmbedded
import TestDoubles
import Testing

@testable import Server

@Suite("Failures to accept a connection")
struct AcceptFailureTests {
    private func isOpen(after code: CInt) throws -> Bool {
        let connections = OpenConnections(capacity: 100, logger: CollectedLog().logger)
        let client = EmbeddedChannel()
        try client.connect(to: SocketAddress(ipAddress: "10.0.0.1", port: 1)).wait()
        _ = connections.add(client)
        let listener = EmbeddedChannel(handler: AcceptFailureHandler(connections: connections))
        listener.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
        #expect(throws: IOError.self) { try listener.throwIfErrorCaught() }
        client.embeddedEventLoop.run()
        return client.isActive
    }

    @Test("A connection that cannot be accepted for want of descriptors closes an idle one")
    func descriptors() throws {
        #expect(try !isOpen(after: EMFILE))
        #expect(try !isOpen(after: ENFILE))
    }

    @Test("A connection that cannot be accepted for another reason closes no other connection")
    func other() throws { #expect(try isOpen(after: ECONNABORTED)) }
}
