internal import CCurl
internal import HTTPTypes

/// Owns one libcurl easy handle, the state of one transfer at a time; kept for the next when the last went well.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var headerList: HeaderList?

    init?(_ configuration: HTTPClient.Configuration) {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        apply(configuration)
    }

    deinit {
        curl_easy_cleanup(pointer)
        errorBuffer.deallocate()
    }

    /// libcurl's words for the last failure, or nothing.
    var errorWords: String { String(cString: errorBuffer) }

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

    /// libcurl copies the bytes, so that nothing has to be kept alive for it.
    func setBody(_ body: [UInt8]) {
        CCurl_easy_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        // For NULL libcurl would read the body from the standard input; an empty array's address may be NULL.
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

    /// A time in microseconds.
    func size(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        CCurl_easy_get_size(pointer, info, &value)
        return Int64(value)
    }
}
