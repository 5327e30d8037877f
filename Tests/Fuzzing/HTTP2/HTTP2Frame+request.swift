extension HTTP2Frame {
    private static let largestPayload = 16_384
    /// The header fields that only HTTP/1 has.
    private static let left = ["host", "content-length", "connection", "transfer-encoding", "keep-alive"]

    /// Returns the frames of a request: its head, and its body if it has one.
    static func request(_ request: FuzzRequest, on stream: UInt32) -> [HTTP2Frame] {
        let body = request.text.body
        let block = headerBlock(of: request.text)
        let isWhole = body.isEmpty
        var rest = block[...]
        var frames: [HTTP2Frame] = []
        repeat {
            let fragment = Array(rest.prefix(largestPayload))
            rest = rest.dropFirst(largestPayload)
            let flags = (rest.isEmpty ? Flag.endHeaders : 0) | (isWhole && frames.isEmpty ? Flag.endStream : 0)
            frames.append(HTTP2Frame(frames.isEmpty ? .headers : .continuation, flags: flags, on: stream, fragment))
        } while !rest.isEmpty
        return frames + data(body, on: stream)
    }

    private static func data(_ body: [UInt8], on stream: UInt32) -> [HTTP2Frame] {
        stride(from: 0, to: body.count, by: largestPayload).map { start in
            let end = min(start + largestPayload, body.count)
            return HTTP2Frame(
                .data, flags: end == body.count ? Flag.endStream : 0, on: stream, Array(body[start..<end]))
        }
    }

    private static func headerBlock(of request: RequestText) -> [UInt8] {
        let pseudo = [
            (":method", request.method), (":scheme", "https"), (":path", request.target),
            (":authority", request.headers.first { $0.name == "Host" }?.value ?? "127.0.0.1"),
        ]
        let fields = request.headers.map { ($0.name.lowercased(), $0.value) }.filter { !left.contains($0.0) }
        // A literal field without indexing, with a new name (RFC 7541 §6.2.2).
        return (pseudo + fields).flatMap { [0x00] + string($0.0) + string($0.1) }
    }

    /// Encodes a string without Huffman coding (RFC 7541 §5.2).
    private static func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }
}
