import Functions
import Gzip
import HTTPTypes
import Hummingbird
import JSON
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
    /// - Throws: ``RequestBodyError`` if the fields of the request already show that the body cannot be accepted.
    init(_ headers: HTTPFields, maximumBytes: Int) throws(RequestBodyError) {
        self.maximumBytes = maximumBytes
        announced = headers[.contentLength].flatMap { Int($0) }
        gzip = try headers.hasGzipBody() ? .forBody() : nil
        if let announced, announced > maximumReceived { throw .tooLarge }
    }

    /// The announced size of the decoded body; 0 if the client has not announced it.
    var expectedBytes: Int { gzip == nil ? max(0, announced ?? 0) : 0 }

    /// The maximum number of encoded bytes. Incompressible data has a few bytes more as gzip: five for each block,
    /// and 18 for header and trailer. The maximum also stops an endless sequence of empty gzip members.
    private var maximumReceived: Int { gzip == nil ? maximumBytes : maximumBytes + maximumBytes / 1_024 + 128 }

    mutating func receive(_ bytes: ByteBuffer) throws(RequestBodyError) {
        received += bytes.readableBytes
        guard received <= maximumReceived else { throw .tooLarge }
        if let gzip { gzip.receive(bytes) } else { plain = bytes }
    }

    /// Returns the next bytes of the decoded body; `nil` if more input is needed.
    mutating func nextPiece() throws(RequestBodyError) -> ByteBuffer? {
        let piece = if let gzip { try gzip.nextPieceOfBody() } else { plain.take() }
        decoded += piece?.readableBytes ?? 0
        guard decoded <= maximumBytes else { throw .tooLarge }
        return piece
    }

    /// Checks that the body is complete. Hummingbird ends the stream without an error if the client closes its half
    /// of the connection, so a body can end before its `Content-Length`.
    func finish() throws(RequestBodyError) {
        if let announced, received < announced { throw .incomplete }
        if let gzip, !gzip.isWhole { throw .malformedEncoding }
    }
}

extension GzipDecoder {
    fileprivate static func forBody() throws(RequestBodyError) -> GzipDecoder {
        do { return try GzipDecoder() } catch { throw .malformedEncoding }
    }

    fileprivate func nextPieceOfBody() throws(RequestBodyError) -> ByteBuffer? {
        do { return try nextPiece() } catch { throw .malformedEncoding }
    }
}

extension HTTPFields {
    /// Returns `true` if the body is encoded with gzip.
    ///
    /// - Throws: ``RequestBodyError/unsupportedEncoding`` for another coding, or for more than one.
    fileprivate func hasGzipBody() throws(RequestBodyError) -> Bool {
        guard let field = self[.contentEncoding] else { return false }
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
    /// - Throws: ``RequestBodyError`` if the body is too large, incomplete or in an unsupported encoding.
    func wholeBody(maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] {
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
    func readBody(
        maximumBytes: Int, _ take: @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        let decoder = try BodyDecoder(headers, maximumBytes: maximumBytes)
        try await readPieces(decoder) { take(Array($0.readableBytesView)) }
    }

    private func readPieces(
        _ decoder: consuming BodyDecoder, _ take: (ByteBuffer) -> Bool
    ) async throws(RequestBodyError) {
        var decoder = decoder
        do {
            for try await buffer in body {
                try decoder.receive(buffer)
                while let piece = try decoder.nextPiece() {
                    guard take(piece) else { return }
                }
            }
        } catch {
            throw error as? RequestBodyError ?? .incomplete
        }
        try decoder.finish()
    }
}

extension Request {
    /// Returns the whole body as a JSON object.
    ///
    /// - Parameter maximumBytes: The maximum size. The default is far more than any push service accepts as a
    ///   message.
    /// - Throws: ``APIError`` if the body cannot be read or is not an object.
    func jsonBody(maximumBytes: Int = 64 * 1024) async throws(APIError) -> JSONValue {
        let bytes = try await boundedBody(maximumBytes: maximumBytes)
        guard let json = try? JSONValue(parsing: bytes), json.object != nil else {
            throw .invalidArgument("the body must be a JSON object")
        }
        return json
    }

    /// Returns the result of ``wholeBody(maximumBytes:)``, with its errors translated for the client.
    func boundedBody(maximumBytes: Int) async throws(APIError) -> [UInt8] {
        do {
            return try await wholeBody(maximumBytes: maximumBytes)
        } catch {
            switch error {
            case .tooLarge:
                throw APIError(
                    status: .contentTooLarge, name: "INVALID_ARGUMENT",
                    message: "the body is larger than \(maximumBytes) bytes")
            case .incomplete: throw .invalidArgument("the body ended early")
            case .unsupportedEncoding: throw .unsupportedEncoding
            case .malformedEncoding: throw .invalidArgument(RequestBodyError.malformedEncodingText)
            }
        }
    }
}

extension APIError {
    static let unsupportedEncoding = APIError(
        status: .unsupportedMediaType, name: "INVALID_ARGUMENT", message: RequestBodyError.unsupportedEncodingText,
        headers: [.acceptEncoding: RequestBodyError.acceptedEncodings])
}
