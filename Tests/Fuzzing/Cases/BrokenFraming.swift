import TestBasics

/// HTTP/1 bytes that form no certain number of requests.
enum BrokenFraming {
    /// Breaks requests that follow one another on one connection.
    static func bytes(of requests: [FuzzRequest], _ generator: inout SeededGenerator) -> [UInt8] {
        switch generator.number(0...9) {
        case 0...3:
            var bytes = requests.flatMap(\.bytes)
            ByteMutation.apply(generator.number(1...6), to: &bytes, &generator)
            return bytes
        case 4...5: return requests.flatMap { brokenHead(of: $0.text, &generator) + $0.text.body }
        case 6: return requests.flatMap { brokenLength(of: $0.text, &generator).bytes }
        case 7: return requests.flatMap { brokenChunks(of: $0.text, &generator) }
        case 8:
            let bytes = requests.flatMap(\.bytes)
            return Array(bytes.prefix(generator.number(1...bytes.count)))
        default: return junk(&generator)
        }
    }

    private static func brokenHead(of request: RequestText, _ generator: inout SeededGenerator) -> [UInt8] {
        var head = request.head
        ByteMutation.apply(generator.number(1...3), to: &head, &generator)
        return head
    }

    private static func brokenLength(of request: RequestText, _ generator: inout SeededGenerator) -> RequestText {
        var request = request
        let length = request.body.count
        switch generator.number(0...4) {
        case 0: request.contentLength = String(length + generator.number(1...100))
        case 1: request.contentLength = String(max(0, length - generator.number(1...100)))
        case 2: request.contentLength = generator.pick(OddText.numbers)
        case 3: request.headers.append(("Content-Length", generator.pick([String(length), String(length + 1), "0"])))
        default:
            request.headers.append(
                (
                    "Transfer-Encoding",
                    generator.pick([
                        "chunked", "gzip, chunked", "chunked, identity", "xchunked", "chunked, chunked", "Chunked", "",
                    ])
                ))
        }
        return request
    }

    private static func brokenChunks(of request: RequestText, _ generator: inout SeededGenerator) -> [UInt8] {
        var chunks = Array(
            request.chunked(size: generator.pick([1, 10, 1_000])).dropFirst(request.headForChunks.count))
        if generator.number(0...1) == 0 {
            ByteMutation.apply(generator.number(1...3), to: &chunks, &generator)
        } else {
            chunks = Array(
                generator.pick([
                    "zz\r\n{}\r\n0\r\n\r\n", "-1\r\n{}\r\n", "fffffffffffffffff\r\n{}", "0x2\r\n{}\r\n0\r\n\r\n",
                    "2;a=b\r\n{}\r\n0\r\nA: b\r\n\r\n", "2\n{}\n0\n\n", "2\r\n{}0\r\n\r\n",
                    "0\r\nContent-Length: 5\r\n\r\n",
                    " 2\r\n{}\r\n0\r\n\r\n", "2 \r\n{}\r\n0\r\n\r\n",
                    "\(String(repeating: "0", count: 200))2\r\n{}\r\n0\r\n\r\n",
                ]).utf8)
        }
        return request.headForChunks + chunks
    }

    private static func junk(_ generator: inout SeededGenerator) -> [UInt8] {
        switch generator.number(0...4) {
        case 0: return generator.bytes(generator.number(1...2_000))
        // Not quite the preface, after which the plain port would speak HTTP/2.
        case 1: return Array("PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n".utf8) + HTTP2Frame(.settings, []).bytes
        case 2: return [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + generator.bytes(generator.number(0...600))
        case 3:
            return Array(
                String(repeating: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", count: generator.number(2...200)).utf8)
        default: return generator.filler(generator.pick([1, 100, 9_000, 70_000]))
        }
    }
}
