import NIOCore
import TestBasics
import Testing

@testable import Server

@Suite("State of an HTTP/2 connection")
struct HTTP2ConnectionStateTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)
    private var state = HTTP2ConnectionState(.init(), at: Self.start)
    private var time = TimeAmount.zero

    init() { _ = state.receive(ByteBuffer(bytes: HTTP2Frames.preface), at: Self.start) }

    private var now: NIODeadline { Self.start + time }

    private mutating func receive(_ frames: [UInt8]) -> HTTP2ConnectionState.Action? {
        state.receive(ByteBuffer(bytes: frames), at: now).action
    }

    private mutating func send(_ frames: [UInt8]) -> HTTP2ConnectionState.Action? {
        state.send(ByteBuffer(bytes: frames), at: now)
    }

    private mutating func request(_ stream: UInt32) -> HTTP2ConnectionState.Action? {
        receive(HTTP2Frames.request("GET", "/", on: stream, isWhole: true))
    }

    private mutating func answer(_ stream: UInt32) -> HTTP2ConnectionState.Action? {
        send(HTTP2Frames.frame(.headers, flags: 4, on: stream, [0x88]) + HTTP2Frames.frame(.data, flags: 1, on: stream))
    }

    /// Advances the time to the deadline, and returns the action that is then due.
    private mutating func wait() -> HTTP2ConnectionState.Action? {
        time = state.deadline - Self.start
        return state.timePassed(at: now)
    }

    // MARK: Idle connections

    @Test("An idle HTTP/2 connection ends after 75 s, and pings do not extend that")
    mutating func pings() {
        for second in 1..<75 {
            time = .seconds(Int64(second))
            #expect(receive(HTTP2Frames.ping()) == nil)
            #expect(state.timePassed(at: now) == nil)
        }
        #expect(wait() == .announceEnd)
        #expect(time == .seconds(75))
    }

    @Test("The idle time of an HTTP/2 connection starts at the end of its last request")
    mutating func idleAfterRequest() {
        #expect(request(1) == nil)
        #expect(state.deadline == .distantFuture)
        time = .minutes(10)
        #expect(answer(1) == nil)
        #expect(state.deadline == now + .seconds(75))
    }

    @Test(
        "An idle HTTP/2 connection ends with the client's acknowledgement, or 5 s after the announcement",
        arguments: [true, false])
    mutating func notice(isAcknowledged: Bool) {
        #expect(wait() == .announceEnd)
        if isAcknowledged {
            #expect(receive(HTTP2Frames.frame(.ping, flags: 1, [UInt8](repeating: 0, count: 8))) == .end(.done))
        } else {
            #expect(wait() == .end(.done))
            #expect(time == .seconds(80))
        }
    }

    @Test("A request that crosses the announced end is answered, and then the connection ends")
    mutating func crossing() {
        #expect(state.stop(at: now) == .announceEnd)
        #expect(request(1) == nil)
        #expect(receive(HTTP2Frames.frame(.ping, flags: 1, [UInt8](repeating: 0, count: 8))) == nil)
        #expect(answer(1) == .end(.done))
        #expect(state.lastStream == 1)
    }

    @Test("An HTTP/2 head that never becomes complete ends the connection after 10 s")
    mutating func slowHead() {
        let head = HTTP2Frames.request("GET", "/", on: 1, isWhole: true)
        for byte in head.dropLast() { #expect(receive([byte]) == nil) }
        #expect(state.deadline == now + .seconds(10))
        #expect(wait() == .end(.slowHead))
    }

    @Test("The CONTINUATION of an HTTP/2 head is awaited for 10 s, and completes the request")
    mutating func continuation() {
        #expect(receive(HTTP2Frames.frame(.headers, flags: 1, on: 1, [0x82])) == nil)
        #expect(state.deadline == now + .seconds(10))
        #expect(receive(HTTP2Frames.frame(.continuation, flags: 4, on: 1, [0x84])) == nil)
        #expect(state.deadline == .distantFuture && state.streams == [1: true])
    }

    // MARK: Clients that leave

    private static let goAway = HTTP2Frames.frame(.goAway, [UInt8](repeating: 0, count: 8))

    @Test("An HTTP/2 connection without requests ends at once when the client closes its side, GOAWAY or not")
    mutating func leaving() {
        var other = self
        #expect(state.inputClosed(at: now) == .end(.done))
        #expect(other.receive(Self.goAway) == nil)
        #expect(other.state.inputClosed(at: now) == .end(.done))
    }

    @Test("An HTTP/2 connection ends within 100 ms after the client's GOAWAY")
    mutating func announcedLeaving() {
        #expect(receive(Self.goAway) == nil)
        #expect(wait() == .end(.done))
        #expect(time > .zero && time < .milliseconds(100))
    }

    @Test("Requests right after the client's GOAWAY are answered, and then the connection ends")
    mutating func stragglers() {
        #expect(receive(Self.goAway + HTTP2Frames.request("GET", "/", on: 1, isWhole: true)) == nil)
        #expect(request(3) == nil)
        time = .seconds(2)
        #expect(state.timePassed(at: now) == nil)
        #expect(answer(1) == nil)
        #expect(answer(3) == .end(.done))
    }

    @Test("After the request behind a GOAWAY, further requests are awaited for 100 ms at most")
    mutating func shortStraggler() {
        #expect(receive(Self.goAway) == nil)
        #expect(request(1) == nil)
        #expect(answer(1) == nil)
        #expect(wait() == .end(.done))
        #expect(time < .milliseconds(100))
    }

    @Test("A repeated GOAWAY counts as an overhead frame")
    mutating func repeatedGoAway() {
        let actions = (0...1_001).map { _ in receive(Self.goAway) }
        #expect(actions.last == .end(.tooManyFrames))
    }

    @Test("Complete requests are answered after the client closed its side, and incomplete ones are dropped")
    mutating func leavingWithRequests() {
        #expect(request(1) == nil)
        #expect(receive(HTTP2Frames.request("POST", "/", on: 3)) == nil)
        #expect(state.inputClosed(at: now) == nil)
        #expect(answer(1) == .end(.done))
    }

    @Test("Answers for a client that closed its side are awaited for 30 s at most")
    mutating func leavingForLong() {
        #expect(request(1) == nil)
        #expect(state.inputClosed(at: now) == nil)
        #expect(wait() == .end(.done))
        #expect(time == .seconds(30))
    }

    @Test("A stream that is reset before the end of its head is not awaited, and idle time goes on")
    mutating func refusedHead() {
        let head = HTTP2Frames.request("GET", "/", on: 1)
        #expect(receive(Array(head.prefix(20))) == nil)
        #expect(send(HTTP2Frames.reset(1)) == nil)
        time = .seconds(3)
        #expect(receive(Array(head.dropFirst(20))) == nil)
        #expect(receive(HTTP2Frames.frame(.data, flags: 1, on: 1, [0])) == nil)
        #expect(state.deadline == Self.start + .seconds(75))
        #expect(state.inputClosed(at: now) == .end(.done))
    }

    // MARK: Misuse

    @Test("An HTTP/2 connection ends with nghttp2's GOAWAY, which follows an error")
    mutating func error() {
        #expect(send(HTTP2Frames.frame(.goAway, [UInt8](repeating: 0, count: 8))) == .end(.connectionError))
    }

    @Test(
        "200 resets without an answer are allowed, by the client or by its mistakes, and the 201st ends the connection",
        arguments: [true, false])
    mutating func resets(isByClient: Bool) {
        for stream in 0..<200 {
            let id = UInt32(2 * stream + 1)
            #expect(request(id) == nil)
            #expect((isByClient ? receive(HTTP2Frames.reset(id)) : send(HTTP2Frames.reset(id))) == nil)
        }
        #expect(request(401) == nil)
        #expect((isByClient ? receive(HTTP2Frames.reset(401)) : send(HTTP2Frames.reset(401))) == .end(.tooManyResets))
    }

    @Test("A client may reset each stream after its answer, as libcurl 7.88 does")
    mutating func resetsAfterAnswers() {
        for stream in 0..<10_000 {
            let id = UInt32(2 * stream + 1)
            #expect(request(id) == nil)
            #expect(answer(id) == nil)
            #expect(receive(HTTP2Frames.windowUpdate(by: 1) + HTTP2Frames.windowUpdate(on: id, by: 1)) == nil)
            #expect(receive(HTTP2Frames.reset(id)) == nil)
        }
    }

    @Test("An HTTP/2 client may cancel every second request without a limit")
    mutating func resetsAmongAnswers() {
        for stream in 0..<10_000 {
            let id = UInt32(4 * stream + 1)
            #expect(request(id) == nil && request(id + 2) == nil)
            #expect(answer(id) == nil)
            #expect(receive(HTTP2Frames.reset(id + 2)) == nil)
        }
    }

    @Test("HTTP/2 frames before the one above the limit are passed on, and none after it")
    mutating func overhead() {
        let frame = HTTP2Frames.windowUpdate(by: 1)
        let bytes = ByteBuffer(bytes: (0..<5_000).flatMap { _ in frame })
        let (length, action) = state.receive(bytes, at: now)
        #expect(action == .end(.tooManyFrames))
        #expect(length == 1_001 * frame.count)
    }

    @Test(
        "200 control frames are allowed, and the 201st ends the connection",
        arguments: [HTTP2Frames.FrameType.ping, .settings, .priority])
    mutating func controlFrames(type: HTTP2Frames.FrameType) {
        // The SETTINGS frame of the preface counts as one.
        let bytes = ByteBuffer(bytes: (0..<250).flatMap { _ in HTTP2Frames.frame(type) })
        let (length, action) = state.receive(bytes, at: now)
        #expect(action == .end(.tooManyFrames))
        #expect(length == 200 * HTTP2FrameHeader.size)
    }

    @Test("A client may answer short DATA frames with a WINDOW_UPDATE and a PING each, as gRPC's for Go does")
    mutating func pingsForData() {
        #expect(request(1) == nil)
        for _ in 0..<10_000 {
            #expect(send(HTTP2Frames.frame(.data, on: 1, [UInt8](repeating: 0, count: 24))) == nil)
            #expect(receive(HTTP2Frames.windowUpdate(by: 24) + HTTP2Frames.frame(.ping)) == nil)
        }
    }

    @Test("A client that opens its window one byte at a time exceeds the limit, because tiny frames earn it nothing")
    mutating func tinyWindows() {
        #expect(request(1) == nil)
        let actions = (0...1_000).map { _ in
            _ = send(HTTP2Frames.frame(.data, on: 1, [UInt8](repeating: 0, count: 23)))
            return receive(HTTP2Frames.windowUpdate(on: 1, by: 23))
        }
        #expect(actions.dropLast(1).allSatisfy { $0 == nil })
        #expect(actions.last == .end(.tooManyFrames))
    }

    @Test("A frame with part of a request's body does not count as overhead")
    mutating func uploads() {
        #expect(receive(HTTP2Frames.request("POST", "/", on: 1)) == nil)
        for _ in 0..<10_000 { #expect(receive(HTTP2Frames.frame(.data, on: 1, [1])) == nil) }
        #expect(receive(HTTP2Frames.frame(.data, flags: 1, on: 1)) == nil)
        #expect(state.streams == [1: true])
    }

    @Test("A client may send two WINDOW_UPDATE frames for each DATA frame of a large answer")
    mutating func downloads() {
        #expect(request(1) == nil)
        let data = HTTP2Frames.frame(.data, on: 1, [UInt8](repeating: 0, count: 1_024))
        for _ in 0..<10_000 {
            #expect(send(data) == nil)
            #expect(receive(HTTP2Frames.windowUpdate(by: 1) + HTTP2Frames.windowUpdate(on: 1, by: 1)) == nil)
        }
    }
}
