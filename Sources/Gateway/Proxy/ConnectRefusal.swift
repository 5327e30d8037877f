/// Why the proxy does not do what it was asked: a status, and words for whoever set it up.
enum ConnectRefusal: Hashable, Sendable {
    /// It is no request of HTTP/1.1, or not one that RFC 9112 allows.
    case malformed
    /// Another method than CONNECT.
    case method
    /// Another host or port.
    case destination
    case tooLarge
    case tooSlow

    /// The answer, after which the connection is closed.
    ///
    /// - Parameter hasBody: no, when the request was `HEAD` (RFC 9110 §9.3.2).
    func response(hasBody: Bool) -> String {
        let body = "\(reason)\n\(Self.purpose)\n"
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
        case .method: "This proxy takes CONNECT only: it is for https URLs, and for no others."
        case .destination: "This proxy does not lead there, and forwards nothing."
        case .tooLarge: "The request's head is longer than \(ConnectReader.maximumBytes) bytes."
        case .tooSlow: "The request took too long to arrive."
        }
    }

    private static let purpose = """
        It leads to this Pushgate alone, for clients of FCM that look for Google, under these names and port 443:
        \(GoogleHosts.names.joined(separator: ", ")).
        docs/fcm-tls.md says how to use it. For other hosts, name them in NO_PROXY.
        """
}
