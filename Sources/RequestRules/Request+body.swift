package import Functions
import HTTPTypes
package import Hummingbird
package import JSON
package import Server

extension Request {
    /// Returns the whole body as a JSON object.
    ///
    /// - Parameter maximumBytes: The maximum size. The default is far more than any push service accepts as a
    ///   message.
    /// - Throws: ``APIError`` if the body cannot be read or is not an object.
    package func jsonBody(maximumBytes: Int = 64 * 1024) async throws(APIError) -> JSONValue {
        try await jsonBodyWithBytes(maximumBytes: maximumBytes).json
    }

    /// Returns the whole body as ``jsonBody(maximumBytes:)`` does, and as it was sent.
    package func jsonBodyWithBytes(
        maximumBytes: Int = 64 * 1024
    ) async throws(APIError) -> (json: JSONValue, bytes: [UInt8]) {
        let bytes = try await boundedBody(maximumBytes: maximumBytes)
        guard let json = try? JSONValue(parsing: bytes), json.object != nil else {
            throw .invalidArgument("the body must be a JSON object")
        }
        return (json, bytes)
    }

    /// Returns the result of ``wholeBody(maximumBytes:)``, with its errors translated for the client.
    package func boundedBody(maximumBytes: Int) async throws(APIError) -> [UInt8] {
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
    fileprivate static let unsupportedEncoding = APIError(
        status: .unsupportedMediaType, name: "INVALID_ARGUMENT", message: RequestBodyError.unsupportedEncodingText,
        headers: [.acceptEncoding: RequestBodyError.acceptedEncodings])
}

extension RequestBodyError {
    /// Translates an error of the server for the systems.
    package init(_ error: BodyError) {
        self =
            switch error {
            case .tooLarge: .tooLarge
            case .incomplete: .incomplete
            case .unsupportedEncoding: .unsupportedEncoding
            case .malformedEncoding: .malformedEncoding
            }
    }
}
