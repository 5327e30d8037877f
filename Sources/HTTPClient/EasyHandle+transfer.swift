import CCurl
import HTTPTypes

extension EasyHandle {
    /// Sets the options that differ from transfer to transfer.
    ///
    /// - Parameter remaining: the time until the request's deadline.
    func prepare(_ transfer: Transfer, remaining: Duration) {
        let request = transfer.request
        clearErrorWords()
        addressRule?.begin(host: transfer.origin.host)
        set(CURLOPT_URL, request.url)
        set(CURLOPT_TIMEOUT_MS, max(1, remaining.wholeMilliseconds))
        setHeaderFields(request.headerFields, request.sharedHeaderFields)
        setMethod(request.method, body: request.body)
        setVersion(request.version)
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        set(CURLOPT_WRITEDATA, to: context)
        set(CURLOPT_HEADERDATA, to: context)
    }

    /// Sets `HTTPGET` first, because this resets the settings of the last transfer's method.
    private func setMethod(_ method: HTTPRequest.Method, body: [UInt8]) {
        set(CURLOPT_HTTPGET, 1)
        set(CURLOPT_CUSTOMREQUEST, nil)
        if method == .head {
            set(CURLOPT_NOBODY, 1)
            return
        }
        if method == .post || method == .put || method == .patch || !body.isEmpty {
            set(CURLOPT_POST, 1)
            setBody(body)
        }
        if method != .get && method != .post || method == .get && !body.isEmpty {
            set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
    }

    private func setVersion(_ version: HTTPClientRequest.Version) {
        switch version {
        case .http2: set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        case .http1: set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        }
    }

    /// Returns the response to a transfer that libcurl has completed.
    func response(to transfer: Transfer) -> HTTPClientResponse {
        HTTPClientResponse(
            statusCode: number(CURLINFO_RESPONSE_CODE), head: transfer.collector.head,
            body: transfer.collector.body, version: version, connectionsOpened: number(CURLINFO_NUM_CONNECTS),
            duration: .microseconds(size(CURLINFO_TOTAL_TIME_T)))
    }

    private var version: HTTPVersion {
        number(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 ? .http2 : .http1
    }

    /// `true` if a part of the request was written to a connection, in any of libcurl's own attempts.
    ///
    /// libcurl counts a request's head when it is written. A server cannot act on a request with a body before it has
    /// the body.
    var wasSent: Bool { number(CURLINFO_REQUEST_SIZE) > 0 }
}

/// libcurl's callback for a header line. The context is the transfer. A result that differs from the size ends it.
func receiveHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer.collector.receive(headerLine: line) ? size * count : 0
}

/// libcurl's callback for a part of the body. A result that differs from the size ends the transfer.
func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let isWithinLimit = transfer.collector.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return isWithinLimit ? size * count : 0
}
