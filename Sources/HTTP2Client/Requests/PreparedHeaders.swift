import CNGHTTP2

/// Header fields that many requests to one server share, in nghttp2's form.
package final class PreparedHeaders: @unchecked Sendable {  // because its memory is not written after the initializer
    /// The server of the requests.
    package let origin: HTTP2Origin
    /// The fields `:method`, `:scheme` and `:authority`, which precede the path, and then the other fields.
    let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    static let pseudoFields = 3
    /// The beginning of the requests' paths.
    let pathPrefix: String
    /// The fields, followed by the texts that they point to.
    private let memory: UnsafeMutableRawBufferPointer

    /// Prepares fields.
    ///
    /// - Parameters:
    ///   - pathPrefix: the beginning of the requests' paths, which ``HTTP2Request/path`` follows.
    ///   - fields: the fields, with names in lower case. A request must not repeat one of them.
    package init(
        method: String = "POST", origin: HTTP2Origin, pathPrefix: String = "",
        _ fields: [(name: String, value: String)]
    ) {
        self.origin = origin
        self.pathPrefix = pathPrefix
        let authority = origin.authority
        func forEachField(_ body: (String, String) -> Void) {
            body(":method", method)
            body(":scheme", "https")
            body(":authority", authority)
            for (name, value) in fields { body(name, value) }
        }
        var size = 0
        forEachField { size += $0.utf8.count + $1.utf8.count }
        let textStart = MemoryLayout<nghttp2_nv>.stride * (Self.pseudoFields + fields.count)
        memory = .allocate(byteCount: textStart + size, alignment: MemoryLayout<nghttp2_nv>.alignment)
        self.fields = UnsafeMutableRawBufferPointer(rebasing: memory[..<textStart]).bindMemory(to: nghttp2_nv.self)
        let text = UnsafeMutableRawBufferPointer(rebasing: memory[textStart...]).bindMemory(to: UInt8.self)
        var writer = FieldWriter(text: text, fields: self.fields)
        forEachField { writer.add($0, $1, .isKept) }
    }

    deinit { memory.deallocate() }
}

/// The conversion of a request's header fields to nghttp2's form. nghttp2 copies those that are not prepared.
enum HeaderBlock {
    static func withFields<Result>(
        of request: HTTP2Request, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        let (prepared, length) = (request.headers.fields, String(request.body.count))
        let textSize = request.fields.reduce(pathName.utf8.count + lengthName.utf8.count + length.utf8.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
        let pathSize = request.headers.pathPrefix.utf8.count + request.path.utf8.count
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: textSize + pathSize) { text in
            let count = prepared.count + request.fields.count + 2
            return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: count) { block in
                var writer = FieldWriter(text: text, fields: block)
                // Pseudo-fields must come first: the path follows the prepared pseudo-fields and precedes the
                // prepared fields.
                writer.add(prepared[..<PreparedHeaders.pseudoFields])
                writer.add(pathName, request.headers.pathPrefix, request.path, .isOfOneRequest)
                writer.add(prepared[PreparedHeaders.pseudoFields...])
                for field in request.fields {
                    writer.add(field.name, field.value, field.isRepeated ? .isRepeated : .isOfOneRequest)
                }
                writer.add(lengthName, length, .isRepeated)
                return body(block)
            }
        }
    }

    private static let pathName = ":path"
    private static let lengthName = "content-length"
}

/// A writer of fields in nghttp2's form, which point to a copy of their names and values.
private struct FieldWriter {
    /// The treatment of a field by nghttp2.
    enum Use {
        /// The copy lasts as long as the session, and other requests have the same value.
        case isKept
        /// Other requests have the same value.
        case isRepeated
        /// No other request has the value, so that it should not be in the table of header compression.
        case isOfOneRequest

        fileprivate var flags: UInt8 {
            switch self {
            case .isKept: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
            case .isRepeated: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
            case .isOfOneRequest: UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
            }
        }
    }

    private let text: UnsafeMutableBufferPointer<UInt8>
    private let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    private var textEnd = 0
    private var count = 0

    /// Makes a writer to memory that is large enough.
    init(text: UnsafeMutableBufferPointer<UInt8>, fields: UnsafeMutableBufferPointer<nghttp2_nv>) {
        self.text = text
        self.fields = fields
    }

    /// Adds prepared fields.
    mutating func add(_ prepared: Slice<UnsafeMutableBufferPointer<nghttp2_nv>>) {
        count = fields[count...].initialize(fromContentsOf: prepared)
    }

    mutating func add(_ name: String, _ value: String, _ use: Use) { add(name, value, "", use) }

    /// Adds a field whose value has two parts.
    mutating func add(_ name: String, _ beginning: String, _ end: String, _ use: Use) {
        let (name, beginning, end) = (copy(name), copy(beginning), copy(end))
        fields.initializeElement(
            at: count,
            to: nghttp2_nv(
                name: name.start, value: beginning.start, namelen: name.count, valuelen: beginning.count + end.count,
                flags: use.flags))
        count += 1
    }

    private mutating func copy(_ part: String) -> (start: UnsafeMutablePointer<UInt8>?, count: Int) {
        let first = textEnd
        var part = part
        textEnd = part.withUTF8 { text[first...].initialize(fromContentsOf: $0) }
        return (text.baseAddress.map { $0 + first }, textEnd - first)
    }
}
