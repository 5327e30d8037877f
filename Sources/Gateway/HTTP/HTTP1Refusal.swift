internal import HTTPTypes
internal import JSON
internal import NIOCore
internal import NIOHTTP1

/// The answer to a request that goes no farther than its head.
struct HTTP1Refusal: Equatable {
    let fault: HostFault
    /// A Boolean value indicating whether the request was `HEAD`, whose answer has no body (RFC 9110 §9.3.2).
    let isHead: Bool

    /// The parts of the answer but the last.
    func parts(allocator: ByteBufferAllocator) -> [HTTPServerResponsePart] {
        let body = APIError.invalidArgument(fault.message).json.serialized
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": String(body.count)]
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers)
        return isHead ? [.head(head)] : [.head(head), .body(.byteBuffer(allocator.buffer(bytes: body)))]
    }
}
