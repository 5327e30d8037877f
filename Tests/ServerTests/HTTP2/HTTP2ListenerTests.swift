import NIOCore
import TestBasics
import Testing

@testable import Server

@Suite("HTTP/2 streams that stay open for news")
struct HTTP2ListenerTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)
    private var state = HTTP2ConnectionState(.init(keepAlive: .minutes(2)), at: Self.start)

    init() { _ = state.receive(ByteBuffer(bytes: HTTP2Frames.preface), at: Self.start) }

    @Test("A silent client with an open stream gets a PING every 2 min, and keeps its connection for hours")
    mutating func keepAlive() {
        #expect(state.deadline == Self.start + .seconds(75))
        let request = ByteBuffer(bytes: HTTP2Frames.request("POST", "/", on: 1))
        #expect(state.receive(request, at: Self.start).action == nil)
        var now = Self.start
        for _ in 0..<300 {
            #expect(state.deadline == now + .minutes(2))
            now = now + .minutes(2)
            #expect(state.timePassed(at: now) == .ping)
        }
        now = now + .seconds(10)
        #expect(state.receive(ByteBuffer(bytes: HTTP2Frames.ping()), at: now).action == nil)
        #expect(state.deadline == now + .minutes(2))
        let end = ByteBuffer(bytes: HTTP2Frames.frame(.headers, flags: 5, on: 1, [0x88]))
        #expect(state.send(end, at: now) == nil)
        #expect(state.deadline == now + .seconds(75))
    }

    @Test("A client may reset each stream whose answer has begun, as listeners do")
    mutating func resets() {
        for stream in 0..<1_000 {
            let id = UInt32(2 * stream + 1)
            let request = HTTP2Frames.request("POST", "/", on: id)
            #expect(state.receive(ByteBuffer(bytes: request), at: Self.start).action == nil)
            let head = HTTP2Frames.frame(.headers, flags: 4, on: id, [0x88])
            #expect(state.send(ByteBuffer(bytes: head), at: Self.start) == nil)
            #expect(state.receive(ByteBuffer(bytes: HTTP2Frames.reset(id)), at: Self.start).action == nil)
        }
        #expect(state.streams.isEmpty && state.responding.isEmpty)
    }

    @Test("A client may send a PING every 10 s for hours")
    mutating func pings() {
        let request = ByteBuffer(bytes: HTTP2Frames.request("POST", "/", on: 1))
        #expect(state.receive(request, at: Self.start).action == nil)
        for number in 1...3_000 {
            let now = Self.start + .seconds(10 * Int64(number))
            #expect(state.receive(ByteBuffer(bytes: HTTP2Frames.ping()), at: now).action == nil)
            #expect(state.timePassed(at: now) == nil)
        }
    }
}
