import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import Server

/// Compares with the conversions of NIO's own codec.
@Suite("Conversion of HTTP/1.1 parts to version-independent parts")
struct HTTP1CodecTests {
    @Test(
        "A request is converted as by NIO's codec, with any target",
        arguments: [
            "/", "/healthz", "/a/b?c=d&e=%20#f", "//a/b", "/%zz", "/a b", "/é", "http://a.example/b?c", "https://a",
            "*",
            "a.example:443", "?a", "", "mailto:a@b",
        ], [false, true])
    func requests(target: String, isSecure: Bool) throws {
        for method in [HTTPMethod.GET, .POST, .OPTIONS, .CONNECT, .MSEARCH, .RAW(value: "BREW")] {
            let fields = [
                ("Host", "a.example"), ("X-A", "1"), ("host", "b.example"), ("Cookie", "a=1; b=2"), ("x-a", "2"),
            ]
            let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: HTTPHeaders(fields))
            let channel = EmbeddedChannel(handler: HTTP1Codec(isSecure: isSecure))
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            let expected = try HTTPRequest(head, secure: isSecure, splitCookie: false)
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == .head(expected))
        }
    }

    @Test("A request with an invalid method throws an error")
    func badMethod() {
        let channel = EmbeddedChannel(handler: HTTP1Codec(isSecure: false))
        let head = HTTPRequestHead(version: .http1_1, method: .RAW(value: "A B"), uri: "/")
        #expect(throws: (any Error).self) { try channel.writeInbound(HTTPServerRequestPart.head(head)) }
    }

    @Test("Bodies, ends and responses are converted in both directions")
    func others() throws {
        let channel = EmbeddedChannel(handler: HTTP1Codec(isSecure: false))
        let bytes = ByteBuffer(string: "body")
        try channel.writeInbound(HTTPServerRequestPart.body(bytes))
        try channel.writeInbound(HTTPServerRequestPart.end(["a": "b"]))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == .body(bytes))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == .end(HTTPFields(["a": "b"], splitCookie: false)))
        let response = HTTPResponse(status: .created, headerFields: [.contentType: "text/plain"])
        try channel.writeOutbound(HTTPResponsePart.head(response))
        try channel.writeOutbound(HTTPResponsePart.body(bytes))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(try channel.readOutbound(as: HTTPServerResponsePart.self) == .head(HTTPResponseHead(response)))
        #expect(try channel.readOutbound(as: HTTPServerResponsePart.self) == .body(.byteBuffer(bytes)))
        #expect(try channel.readOutbound(as: HTTPServerResponsePart.self) == .end(nil))
    }
}
