/// A duration as JSON has it: `3.5s`, with at most nine digits of a fraction
/// ([`google.protobuf.Duration`](https://protobuf.dev/reference/protobuf/google.protobuf/#duration)).
struct ProtoDuration {
    let isNegative: Bool
    /// Without the sign.
    let seconds: UInt64
    /// Without the sign.
    let nanoseconds: UInt32

    /// About 10,000 years, in seconds.
    private static let maximumSeconds: UInt64 = 315_576_000_000

    init(_ text: String) throws(UnusableValue) {
        guard text.hasSuffix("s") else {
            throw UnusableValue(reason: "Illegal duration format; duration must end with 's'")
        }
        isNegative = text.hasPrefix("-")
        let number = text.dropFirst(isNegative ? 1 : 0).dropLast()
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        seconds = try Self.seconds(parts[0])
        nanoseconds = parts.count == 2 ? try Self.nanoseconds(parts[1]) : 0
        guard seconds < Self.maximumSeconds || seconds == Self.maximumSeconds && nanoseconds == 0 else {
            throw UnusableValue(reason: "Duration value exceeds limits")
        }
    }

    private static func seconds(_ digits: Substring) throws(UnusableValue) -> UInt64 {
        guard isDigits(digits), let seconds = UInt64(digits) else {
            throw UnusableValue(reason: "Invalid duration format, failed to parse seconds")
        }
        return seconds
    }

    private static func nanoseconds(_ digits: Substring) throws(UnusableValue) -> UInt32 {
        guard isDigits(digits) else {
            throw UnusableValue(reason: "Invalid duration format, failed to parse nano seconds")
        }
        guard digits.count <= 9 else { throw UnusableValue(reason: "Duration value exceeds limits") }
        return UInt32(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    }
}
