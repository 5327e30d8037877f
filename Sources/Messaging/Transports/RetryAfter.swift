import Texts

/// A parser for `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The maximum wait. A service that asks for a day has most likely made a mistake, and messages wait.
    static let longest = Duration.seconds(3_600)

    /// Returns the time to wait, at most an hour; `nil` if the field is absent, or has neither form.
    ///
    /// - Parameters:
    ///   - field: a number of seconds, or a date.
    ///   - now: the server's time, from which a date counts, in seconds since 1970.
    package static func duration(_ field: String?, now: Int64) -> Duration? {
        if let date = field.flatMap(HTTPDate.seconds) { return min(.seconds(max(date - now, 0)), longest) }
        return duration(field)
    }

    /// Returns the time to wait, at most an hour; `nil` if the field is absent or has another form.
    ///
    /// - Parameter field: a number of seconds, which is the form that Apple and Google use. A date is not read.
    package static func duration(_ field: String?) -> Duration? {
        guard let field, !field.isEmpty, field.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return min(.seconds(Int64(field) ?? .max), longest)
    }
}
