/// Durations as people write them in a configuration.
enum DurationText {
    /// Reads `500ms`, `2s`, `5m`, `1h`, `7d`, `1.5s`, and a bare number as seconds; nil for anything else, and below zero.
    static func duration(of text: String) -> Duration? {
        let units: [(suffix: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("", 1),
        ]
        for (suffix, seconds) in units where text.hasSuffix(suffix) {
            guard let number = number(text.dropLast(suffix.count)), number * seconds < 1e9 else { return nil }
            return .milliseconds(Int64((number * seconds * 1_000).rounded()))
        }
        return nil
    }

    /// Digits, perhaps with a point. `Double` itself would also take `0x10`, `1e3` and `nan`.
    private static func number(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
            ? Double(text) : nil
    }
}
