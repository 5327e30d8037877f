import Foundation
import NIOCore

/// Requests a tunnel to a server from a proxy, and then removes itself from the pipeline.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: HTTPProxy
    private let origin: HTTP2Origin
    private var answer = TunnelAnswer()
    private var completion: ((Result<Void, ConnectError>) -> Void)?

    /// Makes a handler.
    ///
    /// - Parameter completion: called once. If the tunnel is open, the handler is removed before the call.
    init(
        _ proxy: HTTPProxy, to origin: HTTP2Origin, completion: @escaping (Result<Void, ConnectError>) -> Void
    ) {
        self.proxy = proxy
        self.origin = origin
        self.completion = completion
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return finish(.failure(.proxy(proxy, "has closed the connection"))) }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: request)), promise: nil)
    }

    private var request: String {
        let target = origin.hostAndPort
        let authorization = proxy.credentials.map { "Proxy-Authorization: \($0.authorization)\r\n" } ?? ""
        return "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(authorization)\r\n"
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard completion != nil else { return }
        switch answer.receive(unwrapInboundIn(data).readableBytesView) {
        case .isIncomplete: break
        case .isOpen:
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            finish(.success(()))
        case .isRefused(let status): finish(.failure(.proxy(proxy, refused: status, to: origin)))
        case .isInvalid: finish(.failure(.proxy(proxy, "does not answer CONNECT as an HTTP proxy does")))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(.proxy(proxy, "has closed the connection without an answer to CONNECT")))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(.proxy(proxy, "has not answered CONNECT: \(error)")))
    }

    private func finish(_ result: Result<Void, ConnectError>) {
        // The completion may close the channel, which calls this function again.
        let completion = self.completion.take()
        completion?(result)
    }
}

/// A proxy's response to `CONNECT` while it arrives, parsed without I/O.
struct TunnelAnswer {
    enum Progress: Hashable {
        case isIncomplete
        /// The tunnel is open. Further bytes are the server's.
        case isOpen
        case isRefused(status: Int)
        case isInvalid
    }

    /// The greatest number of bytes in the head of a response.
    static let limit = 16 * 1024

    private var head: [UInt8] = []

    /// Parses bytes from the proxy.
    ///
    /// In TLS the client sends first, so bytes that immediately follow the response are not the server's, and the
    /// response is not valid.
    mutating func receive(_ bytes: some Collection<UInt8>) -> Progress {
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard head.count < Self.limit else { return .isInvalid }
            head.append(byte)
            guard isComplete else { continue }
            guard let status else { return .isInvalid }
            head = []
            // Informational responses precede the final one (RFC 9110 §15.2).
            guard status >= 200 else { continue }
            guard status < 300 else { return .isRefused(status: status) }
            return rest.isEmpty ? .isOpen : .isInvalid
        }
        return .isIncomplete
    }

    private var isComplete: Bool { head.last == 0x0A && (head.hasSuffix("\r\n\r\n") || head.hasSuffix("\n\n")) }

    /// The status of a line such as `HTTP/1.1 200 Connection established` (RFC 9112 §4).
    private var status: Int? {
        let line = head.prefix { $0 != 0x0A && $0 != 0x0D }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
            let status = Int(String(decoding: words[1], as: UTF8.self)), (100...599).contains(status)
        else { return nil }
        return status
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

/// A user's name and password for a proxy. They are never printed.
struct ProxyCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The value of `Proxy-Authorization` (RFC 7617 §2).
    let authorization: String

    /// Parses percent-encoded `user:password`, as in a URL.
    ///
    /// - Returns: `nil` if the encoding is not valid.
    init?(_ text: Substring) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.compactMap { String($0).removingPercentEncoding }
        guard decoded.count == parts.count else { return nil }
        let pair = decoded.count == 2 ? decoded.joined(separator: ":") : decoded.joined() + ":"
        authorization = "Basic " + Data(pair.utf8).base64EncodedString()
    }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension ConnectError {
    /// Returns an error of a proxy.
    ///
    /// - Parameter problem: a predicate whose subject is the proxy.
    static func proxy(_ proxy: HTTPProxy, _ problem: String) -> ConnectError {
        ConnectError(kind: .proxy, message: "the proxy \(proxy) \(problem)")
    }

    static func proxy(_ proxy: HTTPProxy, refused status: Int, to origin: HTTP2Origin) -> ConnectError {
        switch status {
        case 407 where proxy.credentials == nil: .proxy(proxy, "asks for a user and a password (407)")
        case 407: .proxy(proxy, "does not take the user and password that it was given (407)")
        case 403: .proxy(proxy, "does not allow a tunnel to \(origin.hostAndPort) (403)")
        case 502...504: .proxy(proxy, "cannot reach \(origin.hostAndPort) (\(status))")
        default: .proxy(proxy, "opens no tunnel to \(origin.hostAndPort) (\(status))")
        }
    }
}
