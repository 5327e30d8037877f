extension Duration {
    /// `1m30s`, as Go's [Duration.String](https://pkg.go.dev/time#Duration.String) has it of a second or more: to the
    /// nanosecond, without zeros at its end.
    var asGoWritesIt: String {
        let (seconds, attoseconds) = components
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        let prefix = hours > 0 ? "\(hours)h\(minutes)m" : minutes > 0 ? "\(minutes)m" : ""
        return prefix + "\(seconds % 60)\(Self.fraction(attoseconds / 1_000_000_000))s"
    }

    private static func fraction(_ nanoseconds: Int64) -> String {
        guard nanoseconds > 0 else { return "" }
        var digits = String(nanoseconds)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }
}
