import NIOCore
import NIOHTTP2

/// What the simulator knows of one HTTP/2 connection: its number, its open streams, and what it believes on it.
///
/// A value without I/O: events go in, what to do comes out, and ``ConnectionHandler`` does it.
struct ConnectionState {
    /// From 1, in the order in which connections came.
    let number: Int
    private(set) var validator: RequestValidator
    /// The highest stream whose request is processed: GOAWAY's last stream id.
    private(set) var highestStream = HTTP2StreamID.rootStream
    private(set) var isDraining = false
    private var streams: [HTTP2StreamID: StreamState] = [:]
    /// The limit that SETTINGS is to raise after the first request with a good provider token.
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

    /// A request's HEADERS frame; a second one on a stream is trailers, which say nothing here.
    ///
    /// - Returns: what to do now; `nil` when this begins no request, or one that GOAWAY has said will be ignored.
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

    /// - Returns: whether the body has become larger than any payload may be, so that waiting for its end is useless.
    mutating func receiveBody(_ bytes: ByteBufferView, on stream: HTTP2StreamID) -> Bool {
        streams[stream]?.receiveBody(bytes) ?? false
    }

    /// Answers the request on a stream; `nil` when there is none, or it has been answered.
    mutating func respond(on stream: HTTP2StreamID, with responder: APNsResponder) -> APNsResponse? {
        guard let request = streams[stream]?.takeRequest() else { return nil }
        var response = responder.respond(
            to: request, connection: number, validator: &validator, providerTokens: &providerTokens)
        response.delay += latencies.next()
        return response
    }

    /// The stream limit to announce with this answer, if it is time for it: once, when the first request with a good
    /// provider token is answered.
    mutating func raisedStreamLimit(with response: APNsResponse) -> Int? {
        guard response.isAuthenticated, let limit = streamLimitToRaiseTo else { return nil }
        streamLimitToRaiseTo = nil
        return limit
    }

    mutating func holdBack(_ answer: Scheduled<Void>, on stream: HTTP2StreamID) {
        streams[stream]?.delayedAnswer = answer
    }

    /// - Returns: whether the stream was still waiting for its answer.
    mutating func close(_ stream: HTTP2StreamID) -> Bool {
        guard let state = streams.removeValue(forKey: stream) else { return false }
        state.delayedAnswer?.cancel()
        return !state.isAnswered
    }

    /// - Returns: what becomes of the answer.
    mutating func markAnswered(_ stream: HTTP2StreamID) -> RequestPlan.Delivery {
        streams[stream]?.isAnswered = true
        return streams[stream]?.delivery ?? .whole
    }

    mutating func closeAll() {
        for stream in streams.values { stream.delayedAnswer?.cancel() }
        streams = [:]
    }

    /// - Returns: whether it is news.
    mutating func startDraining() -> Bool {
        defer { isDraining = true }
        return !isDraining
    }
}
