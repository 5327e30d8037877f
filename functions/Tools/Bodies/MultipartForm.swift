import Foundation
import Texts

/// A form with files as browsers send it, `multipart/form-data` (RFC 7578). The reader is strict and does not copy
/// contents: parts are slices of the body.
struct MultipartForm: Sendable {
    struct Part: Sendable {
        let name: String
        /// The client's name for the file; never use it as a path. Empty for a file input without a chosen file.
        let filename: String?
        /// The client's media type; do not trust it.
        let contentType: String?
        let content: ArraySlice<UInt8>

        /// The content as UTF-8; invalid bytes are replaced.
        var text: String { String(decoding: content, as: UTF8.self) }
    }

    /// The reason why a body is not a valid form.
    enum Problem: Error, Hashable, Sendable {
        /// The request has another content type, or no usable boundary.
        case noForm
        /// A boundary is misplaced, or the last one is missing.
        case framing
        /// A part's header is malformed or too large.
        case header
        /// The form has more parts than allowed.
        case tooManyParts
        /// A part that is not a file exceeds the allowed size.
        case textTooLarge
    }

    let parts: [Part]

    /// - Parameters:
    ///   - contentType: The request's `Content-Type`.
    ///   - maximumParts: The maximum number of parts; a form with more is an error.
    ///   - files: The names of parts that may have any size, regardless of what a part declares.
    ///   - maximumTextBytes: The maximum size of each other part.
    init(
        _ body: [UInt8], contentType: String?, maximumParts: Int, files: Set<String>,
        maximumTextBytes: Int = 64 * 1024
    ) throws(Problem) {
        guard let boundary = Self.boundary(of: contentType) else { throw .noForm }
        var reader = MultipartReader(body: body, delimiter: Array("--\(boundary)".utf8))
        guard reader.begin() else { throw .framing }
        var parts: [Part] = []
        while try !reader.isAtEnd() {
            guard parts.count < maximumParts else { throw .tooManyParts }
            let header = try PartHeader(try reader.header())
            let content = try reader.content()
            guard files.contains(header.name) || content.count <= maximumTextBytes else { throw .textTooLarge }
            parts.append(
                Part(
                    name: header.name, filename: header.filename, contentType: header.contentType, content: content))
        }
        self.parts = parts
    }

    /// Returns the text of the first part with that name.
    func text(_ name: String) -> String? { parts.first { $0.name == name }?.text }
    /// Returns the texts of all parts with that name.
    func texts(_ name: String) -> [String] { parts.filter { $0.name == name }.map(\.text) }

    /// Returns the boundary parameter of a `multipart/form-data` type: 1 to 70 characters of RFC 2046 §5.1.1, the
    /// last one not a space.
    static func boundary(of contentType: String?) -> String? {
        guard let (type, parameters) = HeaderParameters.parse(contentType ?? ""), type == "multipart/form-data",
            let boundary = parameters["boundary"], (1...70).contains(boundary.utf8.count), !boundary.hasSuffix(" "),
            boundary.utf8.allSatisfy({ $0.isASCIILetterOrDigit || boundaryMarks.contains($0) })
        else { return nil }
        return boundary
    }

    private static let boundaryMarks = "'()+_,-./:=? ".utf8
}

/// A reader that moves through the body of a form.
private struct MultipartReader {
    private static let maximumHeaderBytes = 8 * 1024
    private static let lineEnd = Array("\r\n".utf8)

    let body: [UInt8]
    /// Two hyphens followed by the boundary.
    let delimiter: [UInt8]
    private var position = 0

    init(body: [UInt8], delimiter: [UInt8]) {
        self.body = body
        self.delimiter = delimiter
    }

    /// Moves past the first boundary. Returns `false` if anything is before it.
    mutating func begin() -> Bool { skip(delimiter) }

    /// Returns `true` after the last boundary; otherwise moves to the part's header.
    mutating func isAtEnd() throws(MultipartForm.Problem) -> Bool {
        if skip(Array("--".utf8)) { return true }
        // RFC 2046 allows transports to add padding here.
        while position < body.count, body[position] == 0x20 || body[position] == 0x09 { position += 1 }
        guard skip(Self.lineEnd) else { throw .framing }
        return false
    }

    /// Reads the lines of a part's header and moves past the empty line after them.
    mutating func header() throws(MultipartForm.Problem) -> [String] {
        var lines: [String] = []
        let limit = min(body.count, position + Self.maximumHeaderBytes)
        while true {
            guard let end = body[position..<limit].first(Self.lineEnd) else { throw .header }
            let line = body[position..<end]
            position = end + Self.lineEnd.count
            if line.isEmpty { return lines }
            guard let text = String(validating: line, as: UTF8.self) else { throw .header }
            lines.append(text)
        }
    }

    /// Reads the content before the next boundary and moves past that boundary.
    mutating func content() throws(MultipartForm.Problem) -> ArraySlice<UInt8> {
        let start = position
        // The line end before a boundary belongs to the boundary. Without content it may be the header's (RFC 2046
        // §5.1.1).
        guard let end = body[(start - Self.lineEnd.count)...].first(Self.lineEnd + delimiter) else { throw .framing }
        position = end + Self.lineEnd.count + delimiter.count
        return body[start..<max(start, end)]
    }

    private mutating func skip(_ bytes: [UInt8]) -> Bool {
        guard body[position...].starts(with: bytes) else { return false }
        position += bytes.count
        return true
    }
}

extension ArraySlice<UInt8> {
    /// Returns the index of the first occurrence of the bytes. It searches for the first byte with `memchr`, which
    /// compares many bytes at a time.
    fileprivate func first(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first else { return startIndex }
        return withUnsafeBytes { haystack in
            var position = 0
            while position + bytes.count <= haystack.count, let base = haystack.baseAddress {
                let rest = haystack.count - bytes.count + 1 - position
                guard let found = memchr(base + position, Int32(first), rest) else { return nil }
                position = UnsafeRawPointer(found) - base
                if haystack[position..<(position + bytes.count)].elementsEqual(bytes) { return startIndex + position }
                position += 1
            }
            return nil
        }
    }
}

/// The header of a part: `Content-Disposition: form-data; name="photo"; filename="a.jpg"` (RFC 7578 §4.2).
private struct PartHeader {
    private static let maximumFields = 16

    let name: String
    let filename: String?
    let contentType: String?

    init(_ lines: [String]) throws(MultipartForm.Problem) {
        guard lines.count <= Self.maximumFields else { throw .header }
        var fields: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .header
            }
            fields[parts[0].lowercased()] = parts[1].trimmingWhitespace()
        }
        // Other encodings are not in use (RFC 7578 §4.7), and content that is not decoded would be stored as garbage.
        if let encoding = fields["content-transfer-encoding"]?.lowercased(),
            !["7bit", "8bit", "binary"].contains(encoding)
        {
            throw .header
        }
        guard let (type, parameters) = HeaderParameters.parse(fields["content-disposition"] ?? ""),
            type == "form-data", let name = parameters["name"]
        else { throw .header }
        self.name = name
        filename = parameters["filename"]
        contentType = fields["content-type"]
    }
}
