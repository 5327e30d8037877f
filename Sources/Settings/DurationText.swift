import Texts

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

    /// Returns the text of a duration in the largest unit that divides it: `30s`, `24h`, `7d`. One day is `24h`.
    package static func text(of duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
        let units: [(suffix: String, milliseconds: Int64, least: Int64)] = [
            ("d", 86_400_000, 2), ("h", 3_600_000, 1), ("m", 60_000, 1), ("s", 1_000, 0),
        ]
        for unit in units
        where milliseconds % unit.milliseconds == 0 && milliseconds >= unit.least * unit.milliseconds {
            return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
        }
        return "\(milliseconds)ms"
    }

    /// Returns the number of digits with at most one point. `Double` itself would also accept `0x10`, `1e3` and
    /// `nan`.
    private static func number(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") } ? Double(text) : nil
    }
}
