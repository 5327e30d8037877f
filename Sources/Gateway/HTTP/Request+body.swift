internal import Functions
internal import HTTPTypes
internal import Hummingbird
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
