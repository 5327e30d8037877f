import NIOCore
import NIOHTTP2

/// The state of one HTTP/2 connection: its number, its open streams, its script and its provider tokens.
///
/// It is a value without I/O: events go in, and ``ConnectionHandler`` executes the actions that come out.
struct ServerConnectionState {
    /// The connection's number, from 1, in the order of acceptance.
    let number: Int
    private(set) var validator: RequestValidator
    /// The highest stream whose request is processed, which is GOAWAY's last stream id.
    private(set) var highestStream = HTTP2StreamID.rootStream
    private(set) var isDraining = false
    private var streams: [HTTP2StreamID: StreamState] = [:]
    /// The stream limit to announce after the first request with a valid provider token; `nil` if there is none.
    private var streamLimitToRaiseTo: Int?
    private var script: ScriptedConnection
    private var providerTokens: ProviderTokenWatch
    private var latencies: LatencySource

    init(
        number: Int, validator: RequestValidator, streamLimitToRaiseTo: Int?,
        script: ConnectionScript = ConnectionScript()
    ) {
        self.number = number
        self.validator = validator
        self.streamLimitToRaiseTo = streamLimitToRaiseTo
        self.script = ScriptedConnection(script)
        self.providerTokens = ProviderTokenWatch(script)
        self.latencies = LatencySource(script.latency, connection: number)
    }

    var isIdle: Bool { streams.isEmpty }

    /// Receives a request's HEADERS frame. A second one on a stream is trailers, which are ignored.
    ///
    /// - Returns: The action; `nil` if the frame begins no request, or a request after GOAWAY.
    mutating func receiveHeaders(
        _ request: @autoclosure () -> APNsRequest, on stream: HTTP2StreamID
    ) -> RequestPlan? {
        guard streams[stream] == nil, !isDraining else { return nil }
        let plan = script.receiveRequest(openStreams: streams.count)
        if plan.streamLimit != nil { streamLimitToRaiseTo = nil }
        if case .process(let delivery) = plan.fate {
            streams[stream] = StreamState(request: request(), delivery: delivery)
            highestStream = max(highestStream, stream)
        }
        return plan
    }

    /// Receives a part of a request's body.
    ///
    /// - Returns: `true` if the body exceeds the largest payload, so that its end need not be awaited.
    mutating func receiveBody(_ bytes: ByteBufferView, on stream: HTTP2StreamID) -> Bool {
        streams[stream]?.receiveBody(bytes) ?? false
    }

    /// Returns the answer to the request on a stream; `nil` if there is no request, or it has been answered.
    mutating func respond(on stream: HTTP2StreamID, with responder: APNsResponder) -> APNsResponse? {
        guard let request = streams[stream]?.takeRequest() else { return nil }
        var response = responder.respond(
            to: request, connection: number, validator: &validator, providerTokens: &providerTokens)
        response.delay += latencies.next()
        return response
    }

    /// Returns the stream limit to announce with this answer: once, with the answer to the first request that has a
    /// valid provider token; otherwise `nil`.
    mutating func raisedStreamLimit(with response: APNsResponse) -> Int? {
        guard response.isAuthenticated, let limit = streamLimitToRaiseTo else { return nil }
        streamLimitToRaiseTo = nil
        return limit
    }

    mutating func holdBack(_ answer: Scheduled<Void>, on stream: HTTP2StreamID) {
        streams[stream]?.delayedAnswer = answer
    }

    /// Removes a closed stream and cancels its delayed answer.
    ///
    /// - Returns: `true` if the stream was still waiting for its answer.
    mutating func close(_ stream: HTTP2StreamID) -> Bool {
        guard let state = streams.removeValue(forKey: stream) else { return false }
        state.delayedAnswer?.cancel()
        return !state.isAnswered
    }

    /// Marks a request as answered.
    ///
    /// - Returns: The way to deliver the answer.
    mutating func markAnswered(_ stream: HTTP2StreamID) -> RequestPlan.Delivery {
        streams[stream]?.isAnswered = true
        return streams[stream]?.delivery ?? .whole
    }

    mutating func closeAll() {
        for stream in streams.values { stream.delayedAnswer?.cancel() }
        streams = [:]
    }

    /// Begins draining.
    ///
    /// - Returns: `true` if the connection was not draining before.
    mutating func startDraining() -> Bool {
        defer { isDraining = true }
        return !isDraining
    }
}

/// The state of one stream: an incoming request, or its outgoing answer.
struct StreamState {
    private var request: APNsRequest?
    var delayedAnswer: Scheduled<Void>?
    var isAnswered = false
    /// The way to deliver the answer.
    let delivery: RequestPlan.Delivery

    init(request: APNsRequest, delivery: RequestPlan.Delivery) {
        self.request = request
        self.delivery = delivery
    }

    /// Appends to the body, up to one byte more than the largest payload, which shows that it is too large.
    ///
    /// - Returns: `true` if the body is too large.
    mutating func receiveBody(_ bytes: ByteBufferView) -> Bool {
        let limit = RequestValidator.largestPayload + 1
        guard let received = request?.body.count, received < limit else { return false }
        request?.body.append(contentsOf: bytes.prefix(limit - received))
        return received + bytes.count >= limit
    }

    /// Returns the complete request the first time, then `nil`.
    mutating func takeRequest() -> APNsRequest? {
        defer { request = nil }
        return request
    }
}

/// The flow-control windows for clients (RFC 9113 §5.2).
///
/// A stream keeps HTTP/2's initial window, which holds more than ten payloads. A connection's window holds a thousand.
enum FlowControl {
    static let initialWindow = 65_535
    static let connectionWindow = 4 * 1024 * 1024

    /// Returns the increment for a connection's window; `nil` while more than half of it is free.
    static func increment(from window: Int) -> Int? {
        window < connectionWindow / 2 ? connectionWindow - window : nil
    }
}
