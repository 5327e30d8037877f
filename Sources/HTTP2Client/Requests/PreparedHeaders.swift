import CNGHTTP2

/// Header fields that many requests to one server share, in nghttp2's form.
package final class PreparedHeaders: @unchecked Sendable {  // because its memory is not written after the initializer
    /// The server of the requests.
    package let origin: HTTP2Origin
    /// The fields `:method`, `:scheme` and `:authority`, which precede the path, and then the other fields.
    let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    static let pseudoFields = 3
    private let text: UnsafeMutableBufferPointer<UInt8>

    /// Prepares fields.
    ///
    /// - Parameter fields: the fields, with names in lower case. A request must not repeat one of them.
    package init(method: String = "POST", origin: HTTP2Origin, _ fields: [(name: String, value: String)]) {
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

/// The conversion of a request's header fields to nghttp2's form. nghttp2 copies those that are not prepared.
enum HeaderBlock {
    static func withFields<Result>(
        of request: HTTP2Request, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        let prepared = request.headers.fields
        var own = [HTTP2Request.Field(":path", request.path)] + request.fields
        own.append(HTTP2Request.Field("content-length", String(request.body.count), isRepeated: true))
        return withText(of: own) { own in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: prepared.count + own.count) { block in
                // Pseudo-fields must come first: the path follows the prepared pseudo-fields and precedes the
                // prepared fields.
                let first = PreparedHeaders.pseudoFields
                _ = block.initialize(fromContentsOf: prepared[..<first])
                block.initializeElement(at: first, to: own[0])
                _ = block[(first + 1)...].initialize(fromContentsOf: prepared[first...])
                _ = block[(prepared.count + 1)...].initialize(fromContentsOf: own[1...])
                return body(block)
            }
        }
    }

    /// Calls the closure with the fields, whose names and values are copied into one buffer.
    private static func withText<Result>(
        of fields: [HTTP2Request.Field], _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        let length = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { block in
                var end = 0
                func copy(_ part: String) -> (UnsafeMutablePointer<UInt8>?, Int) {
                    let (start, first) = (text.baseAddress.map { $0 + end }, end)
                    for byte in part.utf8 {
                        text.initializeElement(at: end, to: byte)
                        end += 1
                    }
                    return (start, end - first)
                }
                for (index, field) in fields.enumerated() {
                    let (name, value) = (copy(field.name), copy(field.value))
                    let flags = field.isRepeated ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
                    block.initializeElement(
                        at: index,
                        to: nghttp2_nv(
                            name: name.0, value: value.0, namelen: name.1, valuelen: value.1,
                            flags: UInt8(flags.rawValue)))
                }
                return body(block)
            }
        }
    }
}
