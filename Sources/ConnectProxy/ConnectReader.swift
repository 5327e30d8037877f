import HTTPTypes
import NIOCore

/// A parser of the head of a request to the proxy, which accepts bytes in pieces of any size (RFC 9112 §2.2).
///
/// It is stricter than required: lines must end in CRLF. No part of a head is passed on, so no other software can
/// interpret it differently.
struct ConnectReader {
    /// The maximum length of a head; clients send a few hundred bytes.
    static let maximumBytes = 8_192

    enum Outcome: Equatable {
        case incomplete
        /// The head requests an allowed tunnel; `rest` holds the first bytes of the tunnel's contents.
        case connect(rest: ByteBuffer)
        /// The request is refused. `isHead` is `true` if its method is `HEAD`.
        case refused(ConnectRefusal, isHead: Bool)
    }

    private let destinations: ConnectDestinations
    private var unread = ByteBuffer()
    /// The number of unread bytes that have been searched for a line end.
    private var searched = 0
    private var taken = 0
    private var lines: [String] = []

    init(_ destinations: ConnectDestinations) { self.destinations = destinations }

    /// `true` if any byte has been received.
    var hasBegun: Bool { taken + unread.readableBytes > 0 }

    /// Reads the received bytes. After any outcome other than `incomplete`, do not call it again.
    mutating func receive(_ bytes: ByteBuffer) -> Outcome {
        unread.writeImmutableBuffer(bytes)
        while let line = nextLine() {
            guard taken <= Self.maximumBytes else { return .refused(.tooLarge, isHead: false) }
            guard let line = Self.text(of: line) else { return .refused(.malformed, isHead: false) }
            if !line.isEmpty {
                lines.append(line)
            } else if !lines.isEmpty {
                return judgement
            }
        }
        let isTooLarge = taken + unread.readableBytes > Self.maximumBytes
        return isTooLarge ? .refused(.tooLarge, isHead: false) : .incomplete
    }

    private mutating func nextLine() -> [UInt8]? {
        let unsearched = unread.readableBytesView.dropFirst(searched)
        guard let end = unsearched.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = unread.readableBytes
            return nil
        }
        let length = end - unread.readerIndex + 1
        searched = 0
        taken += length
        return unread.readBytes(length: length)
    }

    /// Returns a line without its end; `nil` if the end is not CRLF, or if the line contains a control character.
    private static func text(of line: [UInt8]) -> String? {
        let text = line.dropLast(2)
        let isText = text.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
        return line.suffix(2).elementsEqual("\r\n".utf8) && isText ? String(decoding: text, as: UTF8.self) : nil
    }

    private var judgement: Outcome {
        guard let head = ConnectHead(lines: lines) else { return .refused(.malformed, isHead: false) }
        guard let refusal = head.refusal(of: destinations) else { return .connect(rest: unread) }
        return .refused(refusal, isHead: head.method == "HEAD")
    }
}

/// The head of a request to the proxy.
struct ConnectHead {
    let method: String
    private let target: String

    /// Parses the lines; `nil` if they are not the head of a valid HTTP/1.1 or 1.0 request (RFC 9112 §3, §3.2, §5.1).
    init?(lines: [String]) {
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false).map(String.init) ?? []
        guard words.count == 3, HTTPField.Name(words[0]) != nil, !words[1].isEmpty else { return nil }
        let names = lines.dropFirst().map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        // Other software may read a name that is not a token, for example one with white space, in another way.
        guard names.allSatisfy({ $0.count > 1 && HTTPField.Name(String($0[0])) != nil }) else { return nil }
        let hosts = names.count { $0[0].lowercased() == "host" }
        switch words[2] {
        case "HTTP/1.1" where hosts == 1, "HTTP/1.0" where hosts <= 1: break
        default: return nil
        }
        (method, target) = (words[0], words[1])
    }

    /// Returns the reason to refuse the request; `nil` if it is allowed.
    func refusal(of destinations: ConnectDestinations) -> ConnectRefusal? {
        guard method == "CONNECT" else { return .method }
        // RFC 9112 §3.2.3: the target is a host and a port, both required, and nothing else.
        guard let colon = target.lastIndex(of: ":") else { return .malformed }
        let (host, port) = (target[..<colon], target[target.index(after: colon)...])
        guard !host.isEmpty, !host.contains("@"), !host.contains("/"), UInt16(port) != nil else { return .malformed }
        return destinations.contain(String(host)) && port == "443" ? nil : .destination
    }
}

/// The reason that the proxy refuses a request: a status, and a text for the person who configured the client.
enum ConnectRefusal: Hashable, Sendable {
    /// The request is not HTTP/1.1, or RFC 9112 does not allow it.
    case malformed
    /// The method is not CONNECT.
    case method
    /// The host or port is not one of the gateway's.
    case destination
    case tooLarge
    case tooSlow

    /// Returns the response, after which the connection is closed.
    ///
    /// - Parameters:
    ///   - hasBody: `false` if the request's method was `HEAD` (RFC 9110 §9.3.2).
    ///   - purpose: The text after the reason.
    func response(hasBody: Bool, purpose: String) -> String {
        let body = "\(reason)\n\(purpose)\n"
        var lines = ["HTTP/1.1 \(status)", "Content-Type: text/plain; charset=utf-8"]
        lines += ["Content-Length: \(body.utf8.count)", "Connection: close"]
        if self == .method { lines.append("Allow: CONNECT") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (hasBody ? body : "")
    }

    private var status: String {
        switch self {
        case .malformed: "400 Bad Request"
        case .method: "405 Method Not Allowed"
        case .destination: "403 Forbidden"
        case .tooLarge: "431 Request Header Fields Too Large"
        case .tooSlow: "408 Request Timeout"
        }
    }

    private var reason: String {
        switch self {
        case .malformed: "This is not a request that a proxy for HTTPS understands."
        case .method: "This proxy accepts CONNECT only: it is for https URLs."
        case .destination: "This proxy does not connect to that host and port, and forwards nothing."
        case .tooLarge: "The request's head is longer than \(ConnectReader.maximumBytes) bytes."
        case .tooSlow: "The request took too long to arrive."
        }
    }
}
