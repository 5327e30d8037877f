import Foundation
import NIOCore

/// A reader of answers from a server's HTTP/1 bytes (RFC 9112 §6.3).
struct HTTP1AnswerReader {
    private var buffer = ByteBuffer()

    /// `true` if there are bytes that are no complete answer.
    var hasBytes: Bool { buffer.readableBytes > 0 }

    mutating func append(_ bytes: inout ByteBuffer) { buffer.writeBuffer(&bytes) }

    /// Returns the next complete answer, or `nil` if there is none yet. Skips interim answers.
    ///
    /// - Parameters:
    ///   - isHead: `true` if the answer is to `HEAD`.
    ///   - isClosed: `true` if no bytes follow.
    mutating func next(isHead: Bool, isClosed: Bool = false) throws -> HTTP1Answer? {
        while let end = Self.offset(of: "\r\n\r\n", in: buffer, from: 0) {
            guard let head = buffer.getString(at: buffer.readerIndex, length: end) else { return nil }
            var answer = try HTTP1Answer(head: head)
            guard answer.status != 101 else { throw MalformedAnswer("switches protocols") }
            guard let content = try body(of: answer, isHead: isHead, isClosed, from: end + 4) else { return nil }
            buffer.moveReaderIndex(forwardBy: content.end)
            buffer.discardReadBytes()
            guard answer.status >= 200 else { continue }
            answer.body = content.body
            return answer
        }
        if buffer.readableBytes >= 5, buffer.getString(at: buffer.readerIndex, length: 5) != "HTTP/" {
            throw MalformedAnswer("is no HTTP")
        }
        return nil
    }

    /// - Returns: The body and its end; `nil` if the body is incomplete.
    private func body(
        of answer: HTTP1Answer, isHead: Bool, _ isClosed: Bool, from start: Int
    ) throws -> (body: [UInt8], end: Int)? {
        if isHead || answer.status < 200 || answer.status == 204 || answer.status == 304 { return ([], start) }
        if answer["transfer-encoding"]?.lowercased() == "chunked" { return try chunks(from: start) }
        guard let text = answer["content-length"], let length = Int(text), length >= 0 else {
            // An answer that is written piece by piece ends with its connection for HTTP/1.0 (RFC 9112 §6.3).
            if answer["content-length"] == nil, answer.isLast {
                guard isClosed else { return nil }
                let end = buffer.readableBytes
                return (buffer.getBytes(at: buffer.readerIndex + start, length: end - start) ?? [], end)
            }
            throw MalformedAnswer("has no length, with status \(answer.status)")
        }
        return bytes(at: start, count: length).map { ($0, start + length) }
    }

    private func chunks(from start: Int) throws -> (body: [UInt8], end: Int)? {
        var body: [UInt8] = []
        var position = start
        while let end = Self.offset(of: "\r\n", in: buffer, from: position) {
            let line = String(decoding: bytes(at: position, count: end - position) ?? [], as: UTF8.self)
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 else {
                throw MalformedAnswer("has a chunk of the size “\(line.prefix(40))”")
            }
            guard let chunk = bytes(at: end + 2, count: size + 2) else { return nil }
            guard chunk.suffix(2) == [13, 10] else { throw MalformedAnswer("has a chunk without an end") }
            if size == 0 { return (body, end + 4) }
            body += chunk.dropLast(2)
            position = end + 2 + size + 2
        }
        return nil
    }

    private func bytes(at offset: Int, count: Int) -> [UInt8]? {
        buffer.getBytes(at: buffer.readerIndex + offset, length: count)
    }

    /// Returns the offset of the text in the readable bytes, from a start on.
    static func offset(of text: StaticString, in buffer: ByteBuffer, from start: Int) -> Int? {
        let (wanted, length) = (text.utf8Start, text.utf8CodeUnitCount)
        return buffer.withUnsafeReadableBytes { bytes -> Int? in
            guard let base = bytes.baseAddress else { return nil }
            var position = start
            while position + length <= bytes.count,
                let found = memchr(base + position, Int32(wanted[0]), bytes.count - length + 1 - position)
            {
                position = UnsafeRawPointer(found) - base
                if memcmp(base + position, wanted, length) == 0 { return position }
                position += 1
            }
            return nil
        }
    }
}
