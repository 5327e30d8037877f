import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Signals
import Testing

@testable import Server

@Suite("Presence of clients over HTTP/2")
struct HTTP2ClientPresenceTests {
    private let presence = HTTP2ClientPresence()

    private func stream() throws -> EmbeddedChannel {
        let stream = EmbeddedChannel()
        try stream.pipeline.syncOperations.addHandler(HTTP2StreamHandler(presence: presence) { _ in })
        return stream
    }

    private func watchedCaller(on stream: EmbeddedChannel) -> AwaitingCaller {
        let caller = stream.watchedCaller()
        stream.embeddedEventLoop.run()
        return caller
    }

    @Test("The requests on all streams learn that the client has closed its side, also those that ask later")
    func leaving() throws {
        let streams = [try stream(), try stream()]
        let callers = streams.map { watchedCaller(on: $0) }
        #expect(callers.map(\.isAwaiting) == [true, true])
        #expect(presence.client.isAwaiting)
        presence.leave()
        #expect(callers.map(\.isAwaiting) == [false, false])
        #expect(!presence.client.isAwaiting)
        let late = watchedCaller(on: try stream())
        #expect(!late.isAwaiting, "the client has left before")
    }

    @Test("The end of a stream ends the watch for its request")
    func endedStream() throws {
        let stream = try stream()
        let caller = watchedCaller(on: stream)
        _ = try stream.finish()
        presence.leave()
        #expect(caller.isAwaiting)
    }

    @Test("A caller that is forgotten does not concern the others")
    func forgotten() {
        let (forgotten, other) = (AwaitingCaller(), AwaitingCaller())
        presence.watch(forgotten)
        presence.watch(other)
        presence.forget(forgotten)
        presence.leave()
        #expect(forgotten.isAwaiting && !other.isAwaiting)
    }
}
