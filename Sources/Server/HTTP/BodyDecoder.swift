import Gzip
import HTTPTypes
package import Hummingbird
import NIOCore

/// A decoder of a request's body that enforces its maximum size, its completeness, and removes gzip (RFC 9110 §8.4).
///
/// The maximum applies to the decoded bytes.
struct BodyDecoder {
    private let maximumBytes: Int
    /// The number of encoded bytes according to `Content-Length`.
    private let announced: Int?
    /// The number of encoded bytes received.
    private var received = 0
    private var decoded = 0
    private let gzip: GzipDecoder?
    private var plain: ByteBuffer?

    /// Creates a decoder.
    ///
    /// - Throws: ``BodyError`` if the fields of the request already show that the body cannot be accepted.
    init(_ headers: HTTPFields, maximumBytes: Int) throws(BodyError) {
        self.maximumBytes = maximumBytes
        announced = headers.value(of: .contentLength).flatMap { Int($0) }
        gzip = try headers.hasGzipBody() ? .forBody() : nil
        if let announced, announced > maximumReceived { throw .tooLarge }
    }

    /// The announced size of the decoded body; 0 if the client has not announced it.
    var expectedBytes: Int { gzip == nil ? max(0, announced ?? 0) : 0 }

    /// The maximum number of encoded bytes. Incompressible data has a few bytes more as gzip: five for each block,
    /// and 18 for header and trailer. The maximum also stops an endless sequence of empty gzip members.
    private var maximumReceived: Int { gzip == nil ? maximumBytes : maximumBytes + maximumBytes / 1_024 + 128 }

    mutating func receive(_ bytes: ByteBuffer) throws(BodyError) {
        received += bytes.readableBytes
        guard received <= maximumReceived else { throw .tooLarge }
        if let gzip { gzip.receive(bytes) } else { plain = bytes }
    }

    /// Returns the next bytes of the decoded body; `nil` if more input is needed.
    mutating func nextPiece() throws(BodyError) -> ByteBuffer? {
        let piece = if let gzip { try gzip.nextPieceOfBody() } else { plain.take() }
        decoded += piece?.readableBytes ?? 0
        guard decoded <= maximumBytes else { throw .tooLarge }
        return piece
    }

    /// Checks that the body is complete. Hummingbird ends the stream without an error if the client closes its half
    /// of the connection, so a body can end before its `Content-Length`.
    func finish() throws(BodyError) {
        if let announced, received < announced { throw .incomplete }
        if let gzip, !gzip.isWhole { throw .malformedEncoding }
    }
}

extension GzipDecoder {
    fileprivate static func forBody() throws(BodyError) -> GzipDecoder {
        do { return try GzipDecoder() } catch { throw .malformedEncoding }
    }

    fileprivate func nextPieceOfBody() throws(BodyError) -> ByteBuffer? {
        do { return try nextPiece() } catch { throw .malformedEncoding }
    }
}

extension HTTPFields {
    /// Returns `true` if the body is encoded with gzip.
    ///
    /// - Throws: ``BodyError/unsupportedEncoding`` for another coding, or for more than one.
    fileprivate func hasGzipBody() throws(BodyError) -> Bool {
        guard let field = value(of: .contentEncoding) else { return false }
        let codings = field.split(separator: ",").map { $0.filter { !" \t".contains($0) }.lowercased() }
            .filter { !["", "identity"].contains($0) }
        // RFC 9110 §8.4.1.3: x-gzip is equivalent.
        guard codings.allSatisfy(["gzip", "x-gzip"].contains), codings.count <= 1 else { throw .unsupportedEncoding }
        return !codings.isEmpty
    }
}

extension Request {
    /// Returns the whole body, decoded.
    ///
    /// - Throws: ``BodyError`` if the body is too large, incomplete or in an unsupported encoding.
    package func wholeBody(maximumBytes: Int) async throws(BodyError) -> [UInt8] {
        let decoder = try BodyDecoder(headers, maximumBytes: maximumBytes)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(decoder.expectedBytes)
        try await readPieces(decoder) {
            bytes.append(contentsOf: $0.readableBytesView)
            return true
        }
        return bytes
    }

    /// Reads the decoded body in pieces, as they arrive, until `take` returns `false`.
    ///
    /// - Throws: The errors of ``wholeBody(maximumBytes:)``, unless `take` ended the reading.
    package func readBody(
        maximumBytes: Int, _ take: @Sendable ([UInt8]) -> Bool
    ) async throws(BodyError) {
        let decoder = try BodyDecoder(headers, maximumBytes: maximumBytes)
        try await readPieces(decoder) { take(Array($0.readableBytesView)) }
    }

    private func readPieces(
        _ decoder: consuming BodyDecoder, _ take: (ByteBuffer) -> Bool
    ) async throws(BodyError) {
        var decoder = decoder
        do {
            for try await buffer in body {
                try decoder.receive(buffer)
                while let piece = try decoder.nextPiece() {
                    guard take(piece) else { return }
                }
            }
        } catch {
            throw error as? BodyError ?? .incomplete
        }
        try decoder.finish()
    }
}

/// The reason why a body could not be read.
package enum BodyError: Error, Hashable, Sendable {
    /// The body exceeds the limit by its `Content-Length`, as received, or after decoding.
    case tooLarge
    /// The client disconnected, stopped sending or broke the framing before the end.
    case incomplete
    /// The `Content-Encoding` is not gzip.
    case unsupportedEncoding
    /// The body is not valid gzip, although its `Content-Encoding` is gzip.
    case malformedEncoding
}
