internal import Functions
internal import HTTPTypes
internal import NIOCore

/// A request's body on its way in: bounded, whole, and without the gzip that its client may have put around it
/// (RFC 9110 §8.4).
///
/// The bound is one of decoded bytes.
struct BodyDecoder {
    private let maximumBytes: Int
    /// By `Content-Length`, before decoding.
    private let announced: Int?
    /// Before decoding.
    private var received = 0
    private var decoded = 0
    private let gzip: GzipDecoder?
    private var plain: ByteBuffer?

    /// - Throws: if the body cannot be taken, by what its head says.
    init(_ headers: HTTPFields, maximumBytes: Int) throws(RequestBodyError) {
        self.maximumBytes = maximumBytes
        announced = headers[.contentLength].flatMap { Int($0) }
        gzip = try headers.hasGzipBody() ? GzipDecoder() : nil
        if let announced, announced > maximumReceived { throw .tooLarge }
    }

    /// The size that the client has announced, as far as it says something of the decoded body.
    var expectedBytes: Int { gzip == nil ? max(0, announced ?? 0) : 0 }

    /// Incompressible data has a few bytes more as gzip: five for each block and 18 around them. Members without
    /// contents could come without end, too.
    private var maximumReceived: Int { gzip == nil ? maximumBytes : maximumBytes + maximumBytes / 1_024 + 128 }

    mutating func receive(_ bytes: ByteBuffer) throws(RequestBodyError) {
        received += bytes.readableBytes
        guard received <= maximumReceived else { throw .tooLarge }
        if let gzip { gzip.receive(bytes) } else { plain = bytes }
    }

    /// Returns the next bytes of the decoded body, `nil` if more has to be received.
    mutating func nextPiece() throws(RequestBodyError) -> ByteBuffer? {
        let piece = if let gzip { try gzip.nextPiece() } else { plain.take() }
        decoded += piece?.readableBytes ?? 0
        guard decoded <= maximumBytes else { throw .tooLarge }
        return piece
    }

    /// A body that ends before its `Content-Length` is not one: Hummingbird ends its stream quietly when the client closes
    /// its half of the connection.
    func finish() throws(RequestBodyError) {
        if let announced, received < announced { throw .incomplete }
        if let gzip, !gzip.isWhole { throw .malformedEncoding }
    }
}

extension HTTPFields {
    /// - Throws: ``RequestBodyError/unsupportedEncoding`` for another coding than gzip, or for more than one.
    fileprivate func hasGzipBody() throws(RequestBodyError) -> Bool {
        guard let field = self[.contentEncoding] else { return false }
        let codings = field.split(separator: ",").map { $0.filter { !" \t".contains($0) }.lowercased() }
            .filter { !["", "identity"].contains($0) }
        // RFC 9110 §8.4.1.3: x-gzip is the same.
        guard codings.allSatisfy(["gzip", "x-gzip"].contains), codings.count <= 1 else { throw .unsupportedEncoding }
        return !codings.isEmpty
    }
}
