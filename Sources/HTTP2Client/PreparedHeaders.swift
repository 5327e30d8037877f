internal import CNGHTTP2

/// The header fields that many requests to one server have in common, in nghttp2's form.
public final class PreparedHeaders: @unchecked Sendable {  // because its memory is not written after the initializer
    public let origin: HTTP2Origin
    /// `:method`, `:scheme` and `:authority`, which come before the path; then the fields.
    let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    static let pseudoFields = 3
    private let text: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter fields: names in lower case. A field that a request has of its own must not be among them.
    public init(method: String = "POST", origin: HTTP2Origin, _ fields: [(name: String, value: String)]) {
        self.origin = origin
        let all = [(":method", method), (":scheme", "https"), (":authority", origin.authority)] + fields
        text = .allocate(capacity: all.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count })
        self.fields = .allocate(capacity: all.count)
        var end = 0
        func copy(_ part: String) -> (start: UnsafeMutablePointer<UInt8>?, count: Int) {
            let start = text.baseAddress.map { $0 + end }
            for byte in part.utf8 {
                text.initializeElement(at: end, to: byte)
                end += 1
            }
            return (start, part.utf8.count)
        }
        let flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        for (index, field) in all.enumerated() {
            let (name, value) = (copy(field.0), copy(field.1))
            self.fields.initializeElement(
                at: index,
                to: nghttp2_nv(
                    name: name.start, value: value.start, namelen: name.count, valuelen: value.count,
                    flags: UInt8(flags)))
        }
    }

    deinit {
        fields.deallocate()
        text.deallocate()
    }
}
