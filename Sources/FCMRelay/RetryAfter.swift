/// `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    /// - Parameter field: a number of seconds, which is the form Google uses; the other, a date, is not read.
    static func duration(_ field: String?) -> Duration? {
        guard let seconds = field.flatMap({ Int64($0) }), seconds >= 0 else { return nil }
        return .seconds(seconds)
    }
}
