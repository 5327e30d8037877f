import Foundation
import NIOCore
import NIOEmbedded
import TestDoubles
import Testing

@testable import Gateway

@Suite("A connection that cannot be accepted")
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

    @Test("for want of descriptors takes the place of an idle one")
    func descriptors() throws {
        #expect(try !isOpen(after: EMFILE))
        #expect(try !isOpen(after: ENFILE))
    }

    @Test("for another reason costs nobody else's")
    func other() throws { #expect(try isOpen(after: ECONNABORTED)) }
}
