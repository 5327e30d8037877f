internal import Functions
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore

extension Request {
    /// Returns the whole body, decoded.
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

    /// Reads the body piece by piece, as it comes, decoded, until `take` returns `false`.
    ///
    /// - Throws: as ``wholeBody(maximumBytes:)`` does, if the body was to be read to its end.
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
    /// The whole body as an object; or an error that says why not.
    ///
    /// - Parameter maximumBytes: by default far more than a message has that any push service takes.
    func jsonBody(maximumBytes: Int = 64 * 1024) async throws(APIError) -> JSONValue {
        let bytes = try await boundedBody(maximumBytes: maximumBytes)
        guard let json = try? JSONValue(parsing: bytes), json.object != nil else {
            throw .invalidArgument("the body must be a JSON object")
        }
        return json
    }

    /// As ``wholeBody(maximumBytes:)``, with errors for the wire.
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
