/// That a value is not of its field's kind.
struct UnusableValue: Error {
    /// What is wrong with its text; nil when there is no more to say than what it is.
    var reason: String?
}
