/// An HTTP/1.1 request as bytes. It is valid at first, and tests break a part of it.
package struct RequestText: Sendable {
    /// The method of the request line.
    package var method = "POST"
    /// The target of the request line: a path with an optional query.
    package var target: String
    /// The version of the request line.
    package var version = "HTTP/1.1"
    /// The header fields in their order, without ``contentLength``.
    package var headers: [(name: String, value: String)]
    /// The body, which may differ from the announced length.
    package var body: [UInt8]
    /// The value of `Content-Length`; `nil` for none.
    package var contentLength: String?

    package init(
        method: String = "POST", target: String, headers: [(name: String, value: String)], body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        contentLength = String(body.count)
    }

    /// Replaces the body and its announced length.
    package mutating func set(body: [UInt8]) {
        self.body = body
        contentLength = String(body.count)
    }

    /// Replaces a header field; `nil` removes it.
    package mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append((name, value)) }
    }

    /// The request line and the header fields, with the empty line after them.
    package var head: [UInt8] {
        var lines = ["\(method) \(target) \(version)"] + headers.map { "\($0.name): \($0.value)" }
        if let contentLength { lines.append("Content-Length: \(contentLength)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The whole request as it is sent.
    package var bytes: [UInt8] { head + body }

    /// Returns the request with its body in chunks (RFC 9112 §7.1) of at most the given size.
    package func chunked(size: Int) -> [UInt8] {
        var bytes = headForChunks
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            bytes += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + Array("\r\n".utf8)
            rest = rest.dropFirst(size)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    /// The head of the request with a chunked body in place of an announced length.
    package var headForChunks: [UInt8] {
        var request = self
        request.contentLength = nil
        request.headers.append(("Transfer-Encoding", "chunked"))
        return request.head
    }
}
