package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
    /// Creates a response with plain text, and adds its type and length to the fields.
    package init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], text: String) {
        var headers = headers
        headers[.contentType] = "text/plain; charset=utf-8"
        headers[.contentLength] = String(text.utf8.count)
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
