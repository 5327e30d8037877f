import NIOCore
import Testing

@testable import Server

@Suite("Bodies of requests on streams of HTTP/2")
struct RequestInputTests {
    @Test("Bytes that arrive one by one wait in a few pieces, and are read in their order")
    func smallPieces() async throws {
        let input = RequestInput { _ in }
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        for byte in bytes { #expect(input.receive(ByteBuffer(bytes: [byte]))) }
        input.finish()
        var pieces: [[UInt8]] = []
        while let piece = try await input.next() { pieces.append(Array(buffer: piece)) }
        #expect(pieces.count == 3 && pieces.flatMap { $0 } == bytes)
    }

    @Test("A piece that was read is not changed by what arrives later")
    func readPiece() async throws {
        let input = RequestInput { _ in }
        _ = input.receive(ByteBuffer(bytes: [1]))
        let first = try await input.next()
        _ = input.receive(ByteBuffer(bytes: [2]))
        let second = try await input.next()
        #expect(first == ByteBuffer(bytes: [1]) && second == ByteBuffer(bytes: [2]))
    }
}
