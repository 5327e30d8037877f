/// `Retry-After` (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// No service is left alone for longer: what asks for a day has most likely made a mistake, and the messages wait.
    static let longest = Duration.seconds(3_600)

    /// How long to wait; an hour when it is longer.
    ///
    /// - Parameter field: a number of seconds, which is the form Apple and Google use; the other, a date, is not read.
    public static func duration(_ field: String?) -> Duration? {
        guard let field, !field.isEmpty, field.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return min(.seconds(Int64(field) ?? .max), longest)
    }
}
