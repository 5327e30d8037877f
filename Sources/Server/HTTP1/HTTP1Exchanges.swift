import HTTPTypes
import JSON
import NIOCore
import NIOHTTP1

/// The requests of an HTTP/1.1 connection that wait for their responses, and the decision to keep the connection open
/// afterwards (RFC 9112 §9.3).
struct HTTP1Exchanges {
    /// A request and its response.
    private struct Exchange {
        let version: HTTPVersion
        /// `true` if the request allows the connection to stay open.
        let isPersistent: Bool
        /// `true` if the client may hold the body back until it receives `100 Continue`, which has not been sent.
        var awaitsContinue: Bool
        var refusal: HTTP1Refusal?
    }

    enum Reception: Equatable {
        case forwarded
        /// The request is ignored, because the connection is about to be closed.
        case dropped
        /// The request gets this response immediately.
        case refused(HTTP1Refusal)
    }

    enum Ending: Equatable {
        case goesOn
        /// The next request gets this response.
        case refusal(HTTP1Refusal)
        case closes
    }

    private var waiting = CircularBuffer<Exchange>(initialCapacity: 2)
    /// `true` if no later request will be answered.
    private var isLast = false
    private var isReading = false
    /// `true` if the connection is closed after the response that is being written.
    private(set) var isClosing = false

    // MARK: Requests

    mutating func receive(_ head: HTTPRequestHead) -> Reception {
        guard !isLast else { return .dropped }
        let refusal = HostFault(of: head).map { HTTP1Refusal(fault: $0, isHead: head.method == .HEAD) }
        // The bytes after a CONNECT request are not HTTP.
        let isPersistent =
            refusal == nil && head.isKeepAlive && !head.headers.closesConnection && head.method != .CONNECT
        let exchange = Exchange(
            version: head.version, isPersistent: isPersistent,
            awaitsContinue: !head.version.isOld && head.headers.contains(name: "expect"), refusal: refusal)
        waiting.append(exchange)
        isLast = !isPersistent
        isReading = refusal == nil
        guard let refusal else { return .forwarded }
        return waiting.count == 1 ? .refused(refusal) : .dropped
    }

    /// Returns `true` if this part of a body is forwarded.
    func receiveBody() -> Bool { isReading && !isClosing }

    /// Returns `true` if the end of the request is forwarded.
    mutating func receiveEnd() -> Bool {
        defer { isReading = false }
        return isReading
    }

    // MARK: Responses

    /// Prepares the head of a response for the client's version, and adds `close` if the connection is closed after
    /// it.
    ///
    /// - Returns: `true` if the head has been changed.
    mutating func prepare(_ head: inout HTTPResponseHead) -> Bool {
        guard !waiting.isEmpty else {
            isClosing = true
            return false
        }
        guard head.status.code >= 200 else {
            waiting[waiting.startIndex].awaitsContinue = false
            return false
        }
        return prepare(&head, for: waiting[waiting.startIndex])
    }

    private mutating func prepare(_ head: inout HTTPResponseHead, for exchange: Exchange) -> Bool {
        let isOld = exchange.version.isOld
        if isOld { head.version = .http1_0 }
        // Without a length, the body ends with the connection: HTTP/1.0 has no chunks.
        let isEndless = isOld && !head.headers.contains(name: "content-length") && head.status.mayHaveResponseBody
        // It is unknown if the client will still send the body (RFC 9110 §10.1.1).
        let isBodyUncertain = exchange.awaitsContinue && isReading && waiting.count == 1
        isClosing = !exchange.isPersistent || isEndless || isBodyUncertain || head.headers.closesConnection
        if isClosing { isLast = true }
        guard isClosing || isOld else { return false }
        head.headers.replaceOrAdd(name: "connection", value: isClosing ? "close" : "keep-alive")
        return true
    }

    /// Records the end of a response.
    mutating func finish() -> Ending {
        _ = waiting.popFirst()
        if isClosing { return .closes }
        guard let refusal = waiting.first?.refusal else { return .goesOn }
        return .refusal(refusal)
    }
}

extension HTTPVersion {
    /// `true` for HTTP/1.0 and older.
    var isOld: Bool { major < 1 || major == 1 && minor == 0 }
}

extension HTTPHeaders {
    fileprivate var closesConnection: Bool {
        contains(name: "connection") && self[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
    }
}

/// The response to a request that is refused because of its head.
struct HTTP1Refusal: Equatable {
    let fault: HostFault
    /// `true` if the request was `HEAD`, whose response has no body (RFC 9110 §9.3.2).
    let isHead: Bool

    /// Returns the parts of the response except the last.
    func parts(allocator: ByteBufferAllocator) -> [HTTPServerResponsePart] {
        let body = APIError.invalidArgument(fault.message).json.serialized
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": String(body.count)]
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers)
        return isHead ? [.head(head)] : [.head(head), .body(.byteBuffer(allocator.buffer(bytes: body)))]
    }
}
