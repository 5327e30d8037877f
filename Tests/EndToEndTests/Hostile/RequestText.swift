import TestDoubles
import TestSupport

/// An HTTP/1.1 request as bytes: a good one to begin with, of which tests break a part.
struct RequestText {
    static let functions = ["registerSubscription", "unregisterSubscription", "triggerReplyFinished"]

    var method = "POST"
    var target: String
    var version = "HTTP/1.1"
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// nil for none.
    var contentLength: String?

    init(_ generator: inout SeededGenerator, function: String? = nil, body: String = "") {
        let prefix = generator.pick(["/", "/prefix/", "/demo/us-central1/"])
        target = prefix + (function ?? generator.pick(Self.functions))
        headers = [
            ("Host", "127.0.0.1"), ("Authorization", "Bearer " + generator.text(44)),
            ("Content-Type", "application/json"),
        ]
        self.body = Array(body.utf8)
        contentLength = String(self.body.count)
    }

    mutating func set(body: [UInt8]) {
        self.body = body
        contentLength = String(body.count)
    }

    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append((name, value)) }
    }

    var head: [UInt8] {
        var lines = ["\(method) \(target) \(version)"] + headers.map { "\($0.name): \($0.value)" }
        if let contentLength { lines.append("Content-Length: \(contentLength)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    var bytes: [UInt8] { head + body }

    /// All at once, answered once.
    var exchange: RawExchange { RawExchange([.send(bytes)], isHead: method == "HEAD") }

    /// The body in chunks (RFC 9112 §7.1) of at most that size.
    func chunked(size: Int) -> [UInt8] {
        var bytes = headForChunks
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            bytes += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + Array("\r\n".utf8)
            rest = rest.dropFirst(size)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    var headForChunks: [UInt8] {
        var request = self
        request.contentLength = nil
        request.headers.append(("Transfer-Encoding", "chunked"))
        return request.head
    }
}
