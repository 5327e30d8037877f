import Gzip
import HTTPTypes
import NIOCore
import TestBasics
import Testing

@testable import Server

@Suite("Decoder of request bodies")
struct BodyDecoderTests {
    private static let text = Array(String(repeating: "Four score and seven years ago. ", count: 100).utf8)
    private static let gzip: HTTPFields = [.contentEncoding: "gzip"]

    /// Decodes a body that arrives in pieces.
    private func decode(
        _ body: [UInt8], _ headers: HTTPFields = gzip, pieces size: Int = .max, atMost maximum: Int = 1 << 20
    ) throws(BodyError) -> [UInt8] {
        var decoder = try BodyDecoder(headers, maximumBytes: maximum)
        var decoded: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            try decoder.receive(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let piece = try decoder.nextPiece() { decoded += piece.readableBytesView }
        }
        try decoder.finish()
        return decoded
    }

    @Test("A body gives the same bytes in pieces of any size, compressed or not", arguments: [1, 7, 100, .max])
    func pieces(size: Int) throws {
        #expect(try decode(Gzip.compress(Self.text), pieces: size) == Self.text)
        #expect(try decode(Self.text, [:], pieces: size) == Self.text)
    }

    @Test(
        "The names of gzip are read in any case, and identity is ignored",
        arguments: ["gzip", "x-gzip", "GZIP", " gzip ", "identity, gzip", "gzip,"])
    func names(coding: String) throws {
        #expect(try decode(Gzip.compress(Self.text), [.contentEncoding: coding]) == Self.text)
        #expect(try decode(Self.text, [.contentEncoding: "identity"]) == Self.text)
    }

    @Test(
        "A content coding other than gzip, or more than one, is refused",
        arguments: ["deflate", "br", "zstd", "compress", "gzip, gzip", "gzip, br", "gzi p2"])
    func otherCodings(coding: String) {
        #expect(throws: BodyError.unsupportedEncoding) {
            try decode(Gzip.compress(Self.text), [.contentEncoding: coding])
        }
    }

    @Test("A gzip body of several members, or an empty one, is decoded")
    func members() throws {
        let twice = Gzip.compress(Self.text) + Gzip.compress([]) + Gzip.compress([1, 2])
        for size in [1, 33, .max] { #expect(try decode(twice, pieces: size) == Self.text + [1, 2]) }
        #expect(try decode([]) == [])
        #expect(try decode(Gzip.compress([])) == [])
    }

    @Test("A gzip body that is damaged, cut short or followed by other bytes is refused")
    func damaged() {
        let good = Gzip.compress(Self.text)
        var changed = good
        changed[good.count - 6] ^= 0xFF
        for bytes in [Self.text, changed, Array(good.dropLast()), Array(good.prefix(5)), good + [0], good + Self.text] {
            #expect(throws: BodyError.malformedEncoding) { try decode(bytes) }
            #expect(throws: BodyError.malformedEncoding) { try decode(bytes, pieces: 3) }
        }
    }

    @Test("The limit of a body counts decoded bytes, and allows exactly the limit")
    func bound() throws {
        let limit = 100_000
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<limit).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let zeros = [UInt8](repeating: 0, count: limit)
        for bytes in [zeros, noise] {
            let packed = Gzip.compress(bytes)
            let headers: HTTPFields = [.contentEncoding: "gzip", .contentLength: String(packed.count)]
            #expect(try decode(packed, headers, atMost: limit) == bytes)
            #expect(throws: BodyError.tooLarge) { try decode(packed, headers, atMost: limit - 1) }
            #expect(throws: BodyError.tooLarge) { try decode(packed, pieces: 10, atMost: limit - 1) }
        }
    }

    @Test("A gzip bomb is stopped within a piece of the limit, and reserves no memory in advance")
    func bomb() throws {
        let bomb = Gzip.compress([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 1 << 17)
        var decoder = try BodyDecoder(Self.gzip, maximumBytes: 1 << 17)
        #expect(decoder.expectedBytes == 0)
        try decoder.receive(ByteBuffer(bytes: bomb))
        var decoded = 0
        #expect(throws: BodyError.tooLarge) {
            while let piece = try decoder.nextPiece() {
                #expect(piece.readableBytes <= GzipDecoder.pieceSize)
                decoded += piece.readableBytes
            }
        }
        #expect(decoded <= 1 << 17)
    }

    @Test("An endless series of empty gzip members is refused")
    func emptyMembers() {
        let empty = Array(repeatElement(Gzip.compress([]), count: 1_000).joined())
        #expect(throws: BodyError.tooLarge) { try decode(empty, pieces: 500, atMost: 1_000) }
    }

    @Test("A body that ends before its Content-Length is refused, compressed or not")
    func incomplete() {
        let packed = Gzip.compress(Self.text)
        #expect(throws: BodyError.incomplete) {
            try decode(packed, [.contentEncoding: "gzip", .contentLength: String(packed.count + 1)])
        }
        #expect(throws: BodyError.incomplete) { try decode([1], [.contentLength: "2"]) }
    }
}
