import Texts

/// A duration in JSON: `3.5s`, with at most nine fractional digits
/// ([`google.protobuf.Duration`](https://protobuf.dev/reference/protobuf/google.protobuf/#duration)).
struct ProtoDuration {
    let isNegative: Bool
    /// The whole seconds, without the sign.
    let seconds: UInt64
    /// The fraction, without the sign.
    let nanoseconds: UInt32

    /// The maximum, about 10,000 years, in seconds.
    private static let maximumSeconds: UInt64 = 315_576_000_000

    init(_ text: String) throws(UnusableFieldValue) {
        guard text.hasSuffix("s") else {
            throw UnusableFieldValue(reason: "Illegal duration format; duration must end with 's'")
        }
        isNegative = text.hasPrefix("-")
        let number = text.dropFirst(isNegative ? 1 : 0).dropLast()
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        seconds = try Self.seconds(parts[0])
        nanoseconds = parts.count == 2 ? try Self.nanoseconds(parts[1]) : 0
        guard seconds < Self.maximumSeconds || seconds == Self.maximumSeconds && nanoseconds == 0 else {
            throw UnusableFieldValue(reason: "Duration value exceeds limits")
        }
    }

    /// - Parameter duration: a duration that is not negative.
    init(_ duration: Duration) {
        isNegative = false
        seconds = UInt64(duration.components.seconds)
        nanoseconds = UInt32(duration.components.attoseconds / 1_000_000_000)
    }

    var duration: Duration {
        let duration = Duration.seconds(Int64(seconds)) + .nanoseconds(Int64(nanoseconds))
        return isNegative ? .zero - duration : duration
    }

    /// The text, such as `3s` or `3.500000000s`.
    var text: String {
        let digits = String(nanoseconds)
        let fraction = nanoseconds == 0 ? "" : "." + String(repeating: "0", count: 9 - digits.count) + digits
        return "\(isNegative ? "-" : "")\(seconds)\(fraction)s"
    }

    private static func seconds(_ digits: Substring) throws(UnusableFieldValue) -> UInt64 {
        guard digits.utf8.allSatisfy(\.isASCIIDigit), let seconds = UInt64(digits) else {
            throw UnusableFieldValue(reason: "Invalid duration format, failed to parse seconds")
        }
        return seconds
    }

    private static func nanoseconds(_ digits: Substring) throws(UnusableFieldValue) -> UInt32 {
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else {
            throw UnusableFieldValue(reason: "Invalid duration format, failed to parse nano seconds")
        }
        guard digits.count <= 9 else { throw UnusableFieldValue(reason: "Duration value exceeds limits") }
        return UInt32(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
    }
}

/// An error for a value that does not have the kind of its field.
struct UnusableFieldValue: Error {
    /// The error in the value's text; `nil` if repeating the value is enough.
    var reason: String?
}
