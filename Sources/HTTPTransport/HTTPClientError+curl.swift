internal import CCurl

extension HTTPClientError.Kind {
    /// What a libcurl code means to a caller.
    ///
    /// - Parameter wasSent: whether any of the request has been handed to a connection.
    init(_ code: CURLcode, wasSent: Bool) {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: self = .couldNotConnect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .tls
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = wasSent ? .connectionLost : .refused
        case CURLE_URL_MALFORMAT: self = .invalidRequest
        default: self = .other
        }
    }

    /// Whether this kind alone says that no server has seen the request.
    var precedesSending: Bool {
        switch self {
        case .couldNotConnect, .tls, .refused, .invalidRequest: true
        case .timedOut, .connectionLost, .cancelled, .closed, .responseTooLarge, .other: false
        }
    }
}

extension HTTPClientError {
    /// Translates how libcurl says that a transfer ended.
    ///
    /// - Parameters:
    ///   - words: what libcurl wrote into the error buffer; its general words for `code` when that is empty.
    ///   - origin: where the request was going.
    ///   - path: what must not be repeated, should libcurl's words ever do so.
    init(_ code: CURLcode, words: String, origin: Origin, path: Substring, wasSent: Bool) {
        let isSafe = !words.isEmpty && (path.count < 2 || !words.contains(path))
        let kind = Kind(code, wasSent: wasSent)
        self.init(
            kind: kind, message: isSafe ? words : String(cString: curl_easy_strerror(code)), host: origin.authority,
            curlCode: Int(code.rawValue), isUnprocessed: kind.precedesSending || !wasSent)
    }
}
