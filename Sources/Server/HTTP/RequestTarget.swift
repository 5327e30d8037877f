import Texts

/// The path and query of a request.
enum RequestTarget {
    /// Returns the target with those octets of its path decoded that are allowed in a segment (RFC 3986 §3.3 and
    /// §6.2.2.2); `nil` if there are none, or if a percent sign is not followed by two hexadecimal digits.
    static func normalized(_ target: String) -> String? {
        guard target.utf8.contains(UInt8(ascii: "%")) else { return nil }
        var rest = Substring(target).utf8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count)
        while let byte = rest.first, byte != UInt8(ascii: "?") {
            var length = 1
            if byte == UInt8(ascii: "%") {
                guard let octet = octet(rest.dropFirst().prefix(2)) else { return nil }
                length = 3
                bytes += octet.mayStandInSegment ? [octet] : Array(rest.prefix(length))
            } else {
                bytes.append(byte)
            }
            rest = rest.dropFirst(length)
        }
        return String(decoding: bytes + rest, as: UTF8.self)
    }

    private static func octet(_ digits: Substring.UTF8View) -> UInt8? {
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return values.count == 2 ? UInt8(values[0] << 4 | values[1]) : nil
    }
}

extension UInt8 {
    /// `true` for an unreserved character, a sub-delimiter, a colon or an at sign (`pchar`, RFC 3986 §3.3).
    fileprivate var mayStandInSegment: Bool { isASCIILetterOrDigit || Self.marks.contains(self) }

    private static let marks = Array("-._~!$&'()*+,;=:@".utf8)
}
