/// An HTTP/1.1 request as bytes: a good one to begin with, of which tests break a part.
public struct RequestText: Sendable {
    public var method = "POST"
    public var target: String
    public var version = "HTTP/1.1"
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// `nil` for none.
    public var contentLength: String?

    public init(
        method: String = "POST", target: String, headers: [(name: String, value: String)], body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        contentLength = String(body.count)
    }

    public mutating func set(body: [UInt8]) {
        self.body = body
        contentLength = String(body.count)
    }

    public mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append((name, value)) }
    }

    public var head: [UInt8] {
        var lines = ["\(method) \(target) \(version)"] + headers.map { "\($0.name): \($0.value)" }
        if let contentLength { lines.append("Content-Length: \(contentLength)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    public var bytes: [UInt8] { head + body }

    /// The request with its body in chunks (RFC 9112 §7.1) of at most that size.
    public func chunked(size: Int) -> [UInt8] {
        var bytes = headForChunks
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            bytes += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + Array("\r\n".utf8)
            rest = rest.dropFirst(size)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    public var headForChunks: [UInt8] {
        var request = self
        request.contentLength = nil
        request.headers.append(("Transfer-Encoding", "chunked"))
        return request.head
    }
}
