import NIOCore
import TestSupport
import Testing

@testable import Gateway

@Suite("The state of an HTTP/2 connection")
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

    /// The action that is due by the deadline, to which time moves on.
    private mutating func wait() -> HTTP2ConnectionState.Action? {
        time = state.deadline - Self.start
        return state.timePassed(at: now)
    }

    // MARK: Idle connections

    @Test("ends it after its idle time, which pings do not prolong")
    mutating func pings() {
        for second in 1..<75 {
            time = .seconds(Int64(second))
            #expect(receive(HTTP2Frames.ping()) == nil)
            #expect(state.timePassed(at: now) == nil)
        }
        #expect(wait() == .announceEnd)
        #expect(time == .seconds(75))
    }

    @Test("counts the idle time from the end of the last request, however long that took")
    mutating func idleAfterRequest() {
        #expect(request(1) == nil)
        #expect(state.deadline == .distantFuture)
        time = .minutes(10)
        #expect(answer(1) == nil)
        #expect(state.deadline == now + .seconds(75))
    }

    @Test("ends it as soon as the client knows, or 5 s after it was told", arguments: [true, false])
    mutating func notice(isAcknowledged: Bool) {
        #expect(wait() == .announceEnd)
        if isAcknowledged {
            #expect(receive(HTTP2Frames.frame(.ping, flags: 1, [UInt8](repeating: 0, count: 8))) == .end(.done))
        } else {
            #expect(wait() == .end(.done))
            #expect(time == .seconds(80))
        }
    }

    @Test("answers requests that cross its announcement, and ends it then")
    mutating func crossing() {
        #expect(state.stop(at: now) == .announceEnd)
        #expect(request(1) == nil)
        #expect(receive(HTTP2Frames.frame(.ping, flags: 1, [UInt8](repeating: 0, count: 8))) == nil)
        #expect(answer(1) == .end(.done))
        #expect(state.lastStream == 1)
    }

    @Test("does not count a head that never becomes whole as a request, and ends it after 10 s")
    mutating func slowHead() {
        let head = HTTP2Frames.request("GET", "/", on: 1, isWhole: true)
        for byte in head.dropLast() { #expect(receive([byte]) == nil) }
        #expect(state.deadline == now + .seconds(10))
        #expect(wait() == .end(.slowHead))
    }

    @Test("waits 10 s for the CONTINUATION of a head, too, and takes it as a request with its last frame")
    mutating func continuation() {
        #expect(receive(HTTP2Frames.frame(.headers, flags: 1, on: 1, [0x82])) == nil)
        #expect(state.deadline == now + .seconds(10))
        #expect(receive(HTTP2Frames.frame(.continuation, flags: 4, on: 1, [0x84])) == nil)
        #expect(state.deadline == .distantFuture && state.streams == [1: true])
    }

    // MARK: Clients that leave

    private static let goAway = HTTP2Frames.frame(.goAway, [UInt8](repeating: 0, count: 8))

    @Test("ends it at once when a client without requests closes its side, whether it has said GOAWAY or not")
    mutating func leaving() {
        var other = self
        #expect(state.inputClosed(at: now) == .end(.done))
        #expect(other.receive(Self.goAway) == nil)
        #expect(other.state.inputClosed(at: now) == .end(.done))
    }

    @Test("ends it within 100 ms of a client's GOAWAY")
    mutating func announcedLeaving() {
        #expect(receive(Self.goAway) == nil)
        #expect(wait() == .end(.done))
        #expect(time > .zero && time < .milliseconds(100))
    }

    @Test("answers the requests that a client sends right behind its GOAWAY, and ends it then")
    mutating func stragglers() {
        #expect(receive(Self.goAway + HTTP2Frames.request("GET", "/", on: 1, isWhole: true)) == nil)
        #expect(request(3) == nil)
        time = .seconds(2)
        #expect(state.timePassed(at: now) == nil)
        #expect(answer(1) == nil)
        #expect(answer(3) == .end(.done))
    }

    @Test("waits no longer than 100 ms for requests that may follow the one behind a GOAWAY")
    mutating func shortStraggler() {
        #expect(receive(Self.goAway) == nil)
        #expect(request(1) == nil)
        #expect(answer(1) == nil)
        #expect(wait() == .end(.done))
        #expect(time < .milliseconds(100))
    }

    @Test("takes a GOAWAY that is repeated for overhead")
    mutating func repeatedGoAway() {
        let actions = (0...1_001).map { _ in receive(Self.goAway) }
        #expect(actions.last == .end(.tooManyFrames))
    }

    @Test("answers what was asked before the client closed its side, and waits for no request that will not be whole")
    mutating func leavingWithRequests() {
        #expect(request(1) == nil)
        #expect(receive(HTTP2Frames.request("POST", "/", on: 3)) == nil)
        #expect(state.inputClosed(at: now) == nil)
        #expect(answer(1) == .end(.done))
    }

    @Test("waits at most 30 s for the answers to a client that has closed its side")
    mutating func leavingForLong() {
        #expect(request(1) == nil)
        #expect(state.inputClosed(at: now) == nil)
        #expect(wait() == .end(.done))
        #expect(time == .seconds(30))
    }

    // MARK: Misuse

    @Test("ends it when NIO says GOAWAY, which it does after an error")
    mutating func error() {
        #expect(send(HTTP2Frames.frame(.goAway, [UInt8](repeating: 0, count: 8))) == .end(.connectionError))
    }

    @Test("allows 200 resets without an answer, by the client or by its mistakes", arguments: [true, false])
    mutating func resets(isByClient: Bool) {
        for stream in 0..<200 {
            let id = UInt32(2 * stream + 1)
            #expect(request(id) == nil)
            #expect((isByClient ? receive(HTTP2Frames.reset(id)) : send(HTTP2Frames.reset(id))) == nil)
        }
        #expect(request(401) == nil)
        #expect((isByClient ? receive(HTTP2Frames.reset(401)) : send(HTTP2Frames.reset(401))) == .end(.tooManyResets))
    }

    @Test("lets a client reset each stream that it has the answer of, as libcurl 7.88 does")
    mutating func resetsAfterAnswers() {
        for stream in 0..<10_000 {
            let id = UInt32(2 * stream + 1)
            #expect(request(id) == nil)
            #expect(answer(id) == nil)
            #expect(receive(HTTP2Frames.windowUpdate(by: 1) + HTTP2Frames.windowUpdate(on: id, by: 1)) == nil)
            #expect(receive(HTTP2Frames.reset(id)) == nil)
        }
    }

    @Test("lets a client take back every other of its requests")
    mutating func resetsAmongAnswers() {
        for stream in 0..<10_000 {
            let id = UInt32(4 * stream + 1)
            #expect(request(id) == nil && request(id + 2) == nil)
            #expect(answer(id) == nil)
            #expect(receive(HTTP2Frames.reset(id + 2)) == nil)
        }
    }

    @Test("passes on the frames before the one that is too many, and none after it")
    mutating func overhead() {
        let frame = HTTP2Frames.windowUpdate(by: 1)
        let bytes = ByteBuffer(bytes: (0..<5_000).flatMap { _ in frame })
        let (length, action) = state.receive(bytes, at: now)
        #expect(action == .end(.tooManyFrames))
        // The preface's SETTINGS are one.
        #expect(length == 1_000 * frame.count)
    }

    @Test("counts no frame that brings part of a request")
    mutating func uploads() {
        #expect(receive(HTTP2Frames.request("POST", "/", on: 1)) == nil)
        for _ in 0..<10_000 { #expect(receive(HTTP2Frames.frame(.data, on: 1, [1])) == nil) }
        #expect(receive(HTTP2Frames.frame(.data, flags: 1, on: 1)) == nil)
        #expect(state.streams == [1: true])
    }

    @Test("lets the reader of a large answer send two WINDOW_UPDATEs for each of its frames")
    mutating func downloads() {
        #expect(request(1) == nil)
        let data = HTTP2Frames.frame(.data, on: 1, [UInt8](repeating: 0, count: 1_024))
        for _ in 0..<10_000 {
            #expect(send(data) == nil)
            #expect(receive(HTTP2Frames.windowUpdate(by: 1) + HTTP2Frames.windowUpdate(on: 1, by: 1)) == nil)
        }
    }
}
