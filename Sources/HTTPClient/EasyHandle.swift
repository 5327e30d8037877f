import CCurl
import HTTPTypes

/// An owner of one libcurl easy handle, the state of one transfer at a time. It is reused if the last transfer
/// succeeded.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var headerList: HeaderList?
    private let servers: ServerList?
    let addressRule: AddressRule?
    private let authorities: TrustedAuthorities?

    /// Makes a handle.
    ///
    /// - Parameter authorities: The authorities to trust; `nil` if libcurl reads them itself.
    init?(_ configuration: HTTPClient.Configuration, _ authorities: TrustedAuthorities?) {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        servers = configuration.connectTo.isEmpty ? nil : ServerList(configuration.connectTo)
        addressRule = configuration.refusal.map { AddressRule($0) }
        self.authorities = authorities
        apply(configuration)
        if let servers { CCurl_easy_set_list(pointer, CURLOPT_CONNECT_TO, servers.pointer) }
        addressRule?.set(on: pointer)
        authorities?.set(on: self)
    }

    deinit {
        curl_easy_cleanup(pointer)
        errorBuffer.deallocate()
    }

    /// Returns the message about the last failure; empty if there is none.
    func words(for code: CURLcode) -> String {
        if code == CURLE_SSL_CACERT_BADFILE, let problem = authorities?.problem { return problem }
        return String(cString: errorBuffer)
    }

    func set(_ option: CURLoption, _ value: Int) {
        CCurl_easy_set_long(pointer, option, value)
    }

    func set(_ option: CURLoption, _ value: String?) {
        CCurl_easy_set_string(pointer, option, value)
    }

    func set(_ option: CURLoption, to context: UnsafeMutableRawPointer?) {
        CCurl_easy_set_pointer(pointer, option, context)
    }

    func set(_ option: CURLoption, callback: @escaping curl_write_callback) {
        CCurl_easy_set_callback(pointer, option, callback)
    }

    func setErrorBuffer() {
        set(CURLOPT_ERRORBUFFER, to: errorBuffer)
    }

    func clearErrorWords() {
        errorBuffer.pointee = 0
    }

    func setHeaderFields(_ fields: HTTPFields, _ shared: SharedHeaderFields?) {
        let list = HeaderList(fields, followedBy: shared?.list)
        CCurl_easy_set_list(pointer, CURLOPT_HTTPHEADER, list.pointer)
        headerList = list
    }

    /// Sets the body. libcurl copies the bytes, so they do not have to stay valid.
    func setBody(_ body: [UInt8]) {
        CCurl_easy_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        // For NULL, libcurl would read the body from the standard input. The address of an empty array may be NULL.
        guard !body.isEmpty else { return set(CURLOPT_COPYPOSTFIELDS, "") }
        body.withUnsafeBytes { bytes in
            set(CURLOPT_COPYPOSTFIELDS, to: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        CCurl_easy_get_long(pointer, info, &value)
        return value
    }

    /// Returns a value of 64 bits, such as a time in microseconds.
    func size(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        CCurl_easy_get_size(pointer, info, &value)
        return Int64(value)
    }
}

extension EasyHandle {
    /// Sets the options that are the same for each transfer (`curl_easy_setopt(3)` has a page for each option).
    func apply(_ configuration: HTTPClient.Configuration) {
        setErrorBuffer()
        // Signals concern the whole process. Without them, libcurl resolves names on separate threads.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // libcurl would remove dot segments: the server would get another path than the caller's.
        set(CURLOPT_PATH_AS_IS, 1)
        // An empty text also prevents libcurl from using the proxy of an environment variable.
        set(CURLOPT_PROXY, configuration.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        // The proxy's response to CONNECT is not part of the server's response.
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
        guard let caFile = configuration.caFile else { return }
        set(CURLOPT_CAINFO, caFile)
        // The file is in place of the system's authorities, of which libcurl may have a folder too.
        set(CURLOPT_CAPATH, nil)
    }

    private func applyConnections(_ configuration: HTTPClient.Configuration) {
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        // The number of seconds for which a connection that replaces another one may use the same address without a
        // look-up.
        set(CURLOPT_DNS_CACHE_TIMEOUT, 5)
        // A look-up that has no answer when its transfer ends goes on in its own thread. Without this, libcurl would
        // wait for it, and all other transfers with it: a name server that never answers would stop the client.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_MAXAGE_CONN, configuration.idleLifetime.wholeSeconds)
        // Wait for a connection that is being established instead of opening another one.
        set(CURLOPT_PIPEWAIT, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_KEEPIDLE, 60)
        set(CURLOPT_TCP_KEEPINTVL, 20)
    }

    /// Each transfer in progress has its own buffers. Hundreds of transfers need small ones, not the default of 80
    /// KiB.
    private func applyMemory() {
        set(CURLOPT_BUFFERSIZE, 4 * 1024)
        set(CURLOPT_UPLOAD_BUFFERSIZE, 16 * 1024)
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, so that a small limit does not become 0, which means "no limit" in
    /// libcurl.
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

/// The easy handles that are not in use.
struct EasyHandlePool {
    private let configuration: HTTPClient.Configuration
    private let authorities: TrustedAuthorities?
    private let limit: Int
    private var idle: [EasyHandle] = []

    init(_ configuration: HTTPClient.Configuration) {
        self.configuration = configuration
        authorities = TrustedAuthorities(configuration)
        limit = configuration.maximumConnectionsPerHost * configuration.maximumStreamsPerConnection
    }

    /// Returns an unused handle or a new one; `nil` if memory is short.
    mutating func take() -> EasyHandle? {
        idle.popLast() ?? EasyHandle(configuration, authorities)
    }

    /// Keeps a handle after a response over a connection that was already open.
    ///
    /// All other handles are freed: libcurl counts its own retries in the handle permanently, and refuses after five.
    mutating func giveBack(_ handle: EasyHandle) {
        if idle.count < limit { idle.append(handle) }
    }
}
