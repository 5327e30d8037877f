internal import CCurl

extension EasyHandle {
    /// Sets what holds for every transfer (`curl_easy_setopt(3)` has a page for each option).
    func apply(_ configuration: HTTPClient.Configuration) {
        setErrorBuffer()
        // Signals are for whole processes; name look-ups have threads of their own without them.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // Empty, it also keeps libcurl from the one that the environment may name.
        set(CURLOPT_PROXY, configuration.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        // What the proxy says to CONNECT is no part of the answer.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        applyTLS(configuration)
        applyConnections(configuration)
        applyMemory()
        set(CURLOPT_WRITEFUNCTION, callback: receiveBody)
        set(CURLOPT_HEADERFUNCTION, callback: receiveHeaderLine)
    }

    private func applyTLS(_ configuration: HTTPClient.Configuration) {
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if let caFile = configuration.caFile { set(CURLOPT_CAINFO, caFile) }
    }

    private func applyConnections(_ configuration: HTTPClient.Configuration) {
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        // Seconds for which a connection that replaces another one may go to the same address unasked.
        set(CURLOPT_DNS_CACHE_TIMEOUT, 5)
        set(CURLOPT_MAXAGE_CONN, configuration.idleLifetime.wholeSeconds)
        // Wait for a connection that is being made, rather than make another.
        set(CURLOPT_PIPEWAIT, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_KEEPIDLE, 60)
        set(CURLOPT_TCP_KEEPINTVL, 20)
    }

    /// Every transfer in flight has buffers of its own: hundreds of small ones, rather than of 80 KiB.
    private func applyMemory() {
        set(CURLOPT_BUFFERSIZE, 4 * 1024)
        set(CURLOPT_UPLOAD_BUFFERSIZE, 16 * 1024)
    }
}

extension Duration {
    /// Rounded up: a limit that is not zero never becomes libcurl's zero, which is "no limit".
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        let total = seconds.multipliedReportingOverflow(by: 1_000)
        guard !total.overflow else { return .max }
        return Int(clamping: total.partialValue + milliseconds + (rest > 0 ? 1 : 0))
    }

    var wholeSeconds: Int {
        Int(clamping: components.seconds + (components.attoseconds > 0 ? 1 : 0))
    }
}
