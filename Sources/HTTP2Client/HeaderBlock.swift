internal import CNGHTTP2

/// A request's header fields in nghttp2's form, which copies those that are not prepared.
enum HeaderBlock {
    static func withFields<Result>(
        of request: HTTP2Request, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        let prepared = request.headers.fields
        var own = [HTTP2Request.Field(":path", request.path)] + request.fields
        own.append(HTTP2Request.Field("content-length", String(request.body.count), isRepeated: true))
        return withText(of: own) { own in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: prepared.count + own.count) { block in
                // Pseudo-fields come first: the path after the prepared ones, before their fields.
                let first = PreparedHeaders.pseudoFields
                _ = block.initialize(fromContentsOf: prepared[..<first])
                block.initializeElement(at: first, to: own[0])
                _ = block[(first + 1)...].initialize(fromContentsOf: prepared[first...])
                _ = block[(prepared.count + 1)...].initialize(fromContentsOf: own[1...])
                return body(block)
            }
        }
    }

    /// Lends the fields' names and values, one text behind the other.
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
