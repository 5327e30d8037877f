/// The text form of durations in a configuration.
package enum DurationText {
    /// Returns the duration of `500ms`, `2s`, `5m`, `1h`, `7d`, `1.5s`, or a bare number of seconds; `nil` for any
    /// other text, negative ones included.
    package static func duration(of text: String) -> Duration? {
        let units: [(suffix: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("", 1),
        ]
        for (suffix, seconds) in units where text.hasSuffix(suffix) {
            guard let number = number(text.dropLast(suffix.count)), number * seconds < 1e9 else { return nil }
            return .milliseconds(Int64((number * seconds * 1_000).rounded()))
        }
        return nil
    }

    /// Returns the number of digits with at most one point. `Double` itself would also accept `0x10`, `1e3` and
    /// `nan`.
    private static func number(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
            ? Double(text) : nil
    }
}
