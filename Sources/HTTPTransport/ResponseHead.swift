internal import HTTPTypes

/// The lines of an answer's head, the status line first: parsed when somebody asks for a field, which few do.
struct ResponseHead: Sendable {
    private var bytes: [UInt8] = []

    /// Takes a line with its line break.
    mutating func append(_ line: UnsafeRawBufferPointer) { bytes.append(contentsOf: line) }

    /// The fields, trailers among them; lines without a colon or a valid name are left out.
    var fields: HTTPFields {
        var fields = HTTPFields()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            else { continue }
            let value = line[(colon + 1)...].trimmingWhitespace()
            fields.append(HTTPField(name: name, value: String(decoding: value, as: UTF8.self)))
        }
        return fields
    }
}

extension ArraySlice<UInt8> {
    /// Without optional white space and line breaks at both ends (RFC 9110 §5.5).
    fileprivate func trimmingWhitespace() -> Self {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return self[first...last]
    }
}
