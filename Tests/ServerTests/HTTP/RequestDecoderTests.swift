import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestDoubles
import Testing

@testable import Server

@Suite("Decoder of HTTP/1.1", .timeLimit(.minutes(10)))
struct RequestDecoderTests {
    /// Returns the decoded parts of a text that comes in portions, with the body's parts joined.
    private func parts(_ portions: [ArraySlice<UInt8>]) throws -> [String] {
        let progress = RequestProgress()
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(RequestDecoder(limits: NIOHTTPDecoderLimitConfiguration(), progress: progress)),
            Tap(progress))
        for portion in portions { try channel.writeInbound(ByteBuffer(bytes: portion)) }
        var parts: [String] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head): parts += ["\(head.method) \(head.uri)", ""]
            case .body(let bytes): parts[parts.count - 1] += String(buffer: bytes)
            case .end(let trailers): parts.append("end \(trailers?.count ?? 0)")
            }
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
        return parts
    }

    private static let fields = [
        "Upgrade: h2c\r\n", "Connection: Upgrade\r\n", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n",
        "upgrade: a\r\nconnection: keep-alive,upgrade\r\n", "X-Upgrade: 1\r\n", "",
        "Connection: Upgrade\r\nUpgrade: h2c\r\nDate: \(String(repeating: "x", count: 90))\r\n",
    ]
    private static let bodies = [
        "", "{}", "\r\n\r\n", "upgrade: x\r\n\r\nGET / HTTP/1.1\r\n\r\n", "0\r\n\r\n", "u",
        String(repeating: "b", count: 90),
    ]

    private func request(_ number: Int, _ random: inout SeededGenerator) -> (text: String, parts: [String]) {
        let (fields, body) = (
            Self.fields.randomElement(using: &random) ?? "", Self.bodies.randomElement(using: &random) ?? ""
        )
        let head = "POST /\(number) HTTP/1.1\r\nHost: a\r\n\(fields)"
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return ("GET /\(number) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", ["GET /\(number)", "", "end 0"])
        case 1:
            return (
                head + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", ["POST /\(number)", body, "end 0"]
            )
        default:
            let chunk = body.isEmpty ? "" : "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n"
            return (
                head + "Transfer-Encoding: chunked\r\n\r\n\(chunk)0\r\nX: y\r\n\r\n",
                ["POST /\(number)", body, "end 1"]
            )
        }
    }

    @Test("The HTTP/1.1 decoder finds every request in 2,000 random sequences, with any split and any Upgrade")
    func rows() throws {
        var random = SeededGenerator(seed: 9_110)
        for _ in 0..<2_000 {
            let requests = (0..<Int.random(in: 1...6, using: &random)).map { request($0, &random) }
            var rest = Array(requests.map(\.text).joined().utf8)[...]
            var portions: [ArraySlice<UInt8>] = []
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...80, using: &random))
                portions.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(try parts(portions) == requests.flatMap(\.parts), "\(requests.map(\.text))")
        }
    }

    @Test("The HTTP/1.1 decoder goes on after a request with Upgrade that starts in the bytes of a body's end")
    func behindBody() throws {
        let portions = [
            "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab",
            "cdGET /2 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nDate: x", "x\r\n\r\n",
            "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
        #expect(
            try parts(portions.map { Array($0.utf8)[...] })
                == ["POST /1", "abcd", "end 0", "GET /2", "", "end 0", "GET /3", "", "end 0"])
    }
}

/// Reports parts to the decoder's progress, as the handler behind the decoder does.
private final class Tap: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let progress: RequestProgress

    init(_ progress: RequestProgress) { self.progress = progress }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        progress.note(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }
}
