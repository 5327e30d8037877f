internal import Functions
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore

extension Request {
    /// The whole body, or why there is none.
    ///
    /// A body that ends before its `Content-Length` is not one: Hummingbird ends its stream quietly when the client
    /// closes its half of the connection.
    func wholeBody(maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] {
        let announced = headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > maximumBytes { throw .tooLarge }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(max(0, announced ?? 0))
        do {
            for try await buffer in body {
                bytes.append(contentsOf: buffer.readableBytesView)
                if bytes.count > maximumBytes { break }
            }
        } catch {
            throw .incomplete
        }
        if bytes.count > maximumBytes { throw .tooLarge }
        if let announced, bytes.count < announced { throw .incomplete }
        return bytes
    }
}

extension Request {
    /// Reads the body piece by piece, as it comes, until `take` returns `false`.
    ///
    /// - Throws: as ``wholeBody(maximumBytes:)`` does, if the body was to be read to its end.
    func readBody(
        maximumBytes: Int, _ take: @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        let announced = headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > maximumBytes { throw .tooLarge }
        var count = 0
        do {
            for try await buffer in body {
                count += buffer.readableBytes
                if count > maximumBytes { break }
                guard take(Array(buffer.readableBytesView)) else { return }
            }
        } catch {
            throw .incomplete
        }
        if count > maximumBytes { throw .tooLarge }
        if let announced, count < announced { throw .incomplete }
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
            }
        }
    }
}
