import NIOCore
import NIOEmbedded
import NIOHTTP1
import Signals
import Testing

@testable import Server

@Suite("Presence of clients over HTTP/1.1")
struct ClientPresenceTests {
    private let channel = EmbeddedChannel()

    init() throws {
        try channel.pipeline.syncOperations.addHandler(
            HTTP1ExchangeHandler(progress: RequestProgress(), connection: nil))
        channel.embeddedEventLoop.run()
    }

    private func watchedCaller() -> AwaitingCaller {
        let caller = channel.watchedCaller()
        channel.embeddedEventLoop.run()
        return caller
    }

    @Test("A client waits until its connection or its side of it ends")
    func ends() {
        let caller = watchedCaller()
        #expect(caller.isAwaiting)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!caller.isAwaiting)
        #expect(!watchedCaller().isAwaiting, "the side has ended before")
    }

    @Test("A client whose connection is lost does not wait")
    func lost() {
        let caller = watchedCaller()
        channel.pipeline.fireChannelInactive()
        #expect(!caller.isAwaiting)
    }

    @Test("The end of a connection concerns only the client of the present request")
    func answered() throws {
        try channel.writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/", headers: ["Host": "a"])))
        let caller = watchedCaller()
        try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(caller.isAwaiting)
    }
}
