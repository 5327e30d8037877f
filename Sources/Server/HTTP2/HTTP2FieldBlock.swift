import CNGHTTP2
import GRPC

/// The conversion of fields to nghttp2's form.
enum HTTP2FieldBlock {
    /// Calls the closure with the fields, whose names and values are in one buffer. nghttp2 copies them.
    static func with<Result>(
        _ fields: HTTP2Fields, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        let length = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { block in
                var end = 0
                func copy(_ part: String) -> (start: UnsafeMutablePointer<UInt8>?, count: Int) {
                    let (start, first) = (text.baseAddress.map { $0 + end }, end)
                    for byte in part.utf8 {
                        text.initializeElement(at: end, to: byte)
                        end += 1
                    }
                    return (start, end - first)
                }
                for (index, field) in fields.enumerated() {
                    let (name, value) = (copy(field.name), copy(field.value))
                    block.initializeElement(
                        at: index,
                        to: nghttp2_nv(
                            name: name.start, value: value.start, namelen: name.count, valuelen: value.count,
                            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
                }
                return body(block)
            }
        }
    }
}
