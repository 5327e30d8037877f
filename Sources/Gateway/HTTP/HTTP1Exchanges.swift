internal import NIOCore
internal import NIOHTTP1

/// The requests of a connection with HTTP/1.1 that wait for their answers, and whether it outlives them (RFC 9112 §9.3).
struct HTTP1Exchanges {
    /// A request and its answer.
    private struct Exchange {
        let version: HTTPVersion
        /// A Boolean value indicating whether the request lets the connection go on.
        let isPersistent: Bool
        /// A Boolean value indicating whether the client may keep its body back until it reads `100 Continue`, which it
        /// has not been sent.
        var awaitsContinue: Bool
        var refusal: HTTP1Refusal?
    }

    enum Reception: Equatable {
        case forwarded
        /// The connection is about to be closed.
        case dropped
        /// To be answered with this at once.
        case refused(HTTP1Refusal)
    }

    enum Ending: Equatable {
        case goesOn
        /// The next request is to be answered with this.
        case refusal(HTTP1Refusal)
        case closes
    }

    private var waiting = CircularBuffer<Exchange>(initialCapacity: 2)
    /// A Boolean value indicating whether no later request will be answered.
    private var isLast = false
    private var isReading = false
    /// A Boolean value indicating whether the connection is to be closed behind the answer that is being written.
    private(set) var isClosing = false

    // MARK: Requests

    mutating func receive(_ head: HTTPRequestHead) -> Reception {
        guard !isLast else { return .dropped }
        let refusal = HostFault(of: head).map { HTTP1Refusal(fault: $0, isHead: head.method == .HEAD) }
        // The bytes after a CONNECT are not HTTP.
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

    /// - Returns: whether this part of a body is forwarded.
    func receiveBody() -> Bool { isReading && !isClosing }

    /// - Returns: whether the end is forwarded.
    mutating func receiveEnd() -> Bool {
        defer { isReading = false }
        return isReading
    }

    // MARK: Answers

    /// Prepares the head of an answer for the client's version, and says `close` if the connection is closed behind it.
    ///
    /// - Returns: whether the head has been changed.
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
        // Without a length the body ends with the connection: HTTP/1.0 knows no chunks.
        let isEndless = isOld && !head.headers.contains(name: "content-length") && head.status.mayHaveResponseBody
        // Nobody knows if the body will still come (RFC 9110 §10.1.1).
        let isBodyUncertain = exchange.awaitsContinue && isReading && waiting.count == 1
        isClosing = !exchange.isPersistent || isEndless || isBodyUncertain || head.headers.closesConnection
        if isClosing { isLast = true }
        guard isClosing || isOld else { return false }
        head.headers.replaceOrAdd(name: "connection", value: isClosing ? "close" : "keep-alive")
        return true
    }

    /// Takes note of an answer's end.
    mutating func finish() -> Ending {
        _ = waiting.popFirst()
        if isClosing { return .closes }
        guard let refusal = waiting.first?.refusal else { return .goesOn }
        return .refusal(refusal)
    }
}

extension HTTPVersion {
    /// A Boolean value indicating whether it is HTTP/1.0.
    var isOld: Bool { major < 1 || major == 1 && minor == 0 }
}

extension HTTPHeaders {
    fileprivate var closesConnection: Bool {
        contains(name: "connection") && self[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
    }
}
