import APNsSimulator
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import TestDoubles

/// A sender that sees single frames, which a real HTTP client hides.
struct FrameClient: Sendable {
    typealias Frames = NIOAsyncChannelInboundStream<HTTP2Frame>.AsyncIterator

    let authorization: String
    private let outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame>

    /// Connects, runs the body, and closes the connection.
    static func run<Value: Sendable>(
        _ addresses: APNsSimulatorAddresses, authorization: String, applicationProtocols: [String] = ["h2"],
        body: @Sendable (FrameClient, inout Frames) async throws -> Value
    ) async throws -> Value {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(addresses.certificateAuthorityPath)
        tls.applicationProtocols = applicationProtocols
        // A stalled simulator does not answer the TLS shutdown.
        tls.shutdownTimeout = .milliseconds(100)
        let context = try NIOSSLContext(configuration: tls)
        let port = URL(string: addresses.apns)?.port ?? 0
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(.patience))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: context, serverHostname: nil),
                        NIOHTTP2Handler(mode: .client, contentLengthValidation: .disabled),
                    ])
                    return try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(inboundType: HTTP2Frame.self, outboundType: HTTP2Frame.self))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var frames = inbound.makeAsyncIterator()
            return try await body(FrameClient(authorization: authorization, outbound: outbound), &frames)
        }
    }

    func send(_ payload: HTTP2Frame.FramePayload, on stream: Int) async throws {
        try await send([HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload)])
    }

    /// Sends frames together, before an answer can change the connection.
    func send(_ frames: [HTTP2Frame]) async throws {
        try await outbound.write(contentsOf: frames)
    }

    /// Returns the head of a push; `changes` replace header fields, or remove them with `nil`.
    func head(on stream: Int, token: String = "ab", _ changes: [String: String?] = [:]) -> HTTP2Frame {
        var fields: [String: String?] = [
            "authorization": authorization, "apns-topic": "com.example.app", "apns-push-type": "alert",
        ]
        fields.merge(changes) { $1 }
        var headers: HPACKHeaders = [
            ":method": "POST", ":scheme": "https", ":authority": "127.0.0.1", ":path": "/3/device/" + token,
        ]
        for case (let name, let value?) in fields { headers.add(name: name, value: value) }
        return HTTP2Frame(streamID: HTTP2StreamID(stream), payload: .headers(.init(headers: headers)))
    }

    func body(
        _ text: String = #"{"aps":{"alert":"Done"}}"#, on stream: Int, endStream: Bool = true
    ) -> HTTP2Frame {
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: text)), endStream: endStream)
        return HTTP2Frame(streamID: HTTP2StreamID(stream), payload: .data(data))
    }

    func sendHead(on stream: Int, token: String = "ab", _ changes: [String: String?] = [:]) async throws {
        try await send([head(on: stream, token: token, changes)])
    }

    func sendBody(_ text: String = #"{"aps":{"alert":"Done"}}"#, on stream: Int, endStream: Bool = true) async throws {
        try await send([body(text, on: stream, endStream: endStream)])
    }

    /// Pushes on several streams together.
    func push(on streams: [Int], token: String = "ab") async throws {
        try await send(streams.flatMap { [head(on: $0, token: token), body(on: $0)] })
    }

    func push(on stream: Int, token: String = "ab", _ changes: [String: String?] = [:]) async throws {
        try await sendHead(on: stream, token: token, changes)
        try await sendBody(on: stream)
    }
}

extension FrameClient.Frames {
    /// Returns the first value that `describe` gives for a frame; `nil` if the connection ends before.
    mutating func first<Value>(_ describe: (HTTP2Frame) -> Value?) async throws -> Value? {
        while let frame = try await next() {
            if let value = describe(frame) { return value }
        }
        return nil
    }

    /// Returns the summaries of a number of frames on streams, without those of the connection.
    mutating func onStreams(_ count: Int) async throws -> [String] {
        var seen: [String] = []
        while seen.count < count, let frame = try await first({ $0.streamID == .rootStream ? nil : $0 }) {
            seen.append(frame.summary)
        }
        return seen
    }

    /// Returns the frames until the connection ends, without SETTINGS and the like, and the error at the end.
    mutating func untilEnd() async -> (frames: [String], error: (any Error)?) {
        var seen: [String] = []
        do {
            while let frame = try await next() {
                if let numbered = frame.numberedSummary { seen.append(numbered) }
            }
            return (seen, nil)
        } catch {
            return (seen, error)
        }
    }

    /// Returns the next SETTINGS_MAX_CONCURRENT_STREAMS.
    mutating func streamLimit() async throws -> Int? {
        try await first { frame in
            guard case .settings(.settings(let settings)) = frame.payload else { return nil }
            return settings.last { $0.parameter == .maxConcurrentStreams }?.value
        }
    }
}

extension HTTP2Frame {
    /// The frame in one line, for comparison.
    var summary: String {
        let end = { (isSet: Bool) in isSet ? " END_STREAM" : "" }
        return switch payload {
        case .headers(let content):
            "HEADERS \(content.headers.first(name: ":status") ?? "?")" + end(content.endStream)
        case .data(let content):
            if case .byteBuffer(let buffer) = content.data {
                "DATA " + String(buffer: buffer) + end(content.endStream)
            } else {
                "DATA of a file"
            }
        case .rstStream(let code): "RST_STREAM \(code.networkCode)"
        case .goAway(let last, let code, let data):
            "GOAWAY \(Int(last)) \(code.networkCode)" + (data.map { " " + String(buffer: $0) } ?? "")
        default: "another frame"
        }
    }

    /// The summary after the stream's number; `nil` for frames of the connection except GOAWAY and PING.
    var numberedSummary: String? {
        switch payload {
        case .goAway: summary
        case .ping(_, ack: true): "PING"
        default: streamID == .rootStream ? nil : "\(Int(streamID)): " + summary
        }
    }
}
