internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore

extension Response {
    /// A response with a JSON body.
    init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], json: JSONValue) {
        let bytes = json.serialized
        var headers = headers
        // The server adds its name and the date.
        headers.reserveCapacity(headers.count + 4)
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(bytes.count)
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
