/// The parameters of `GET /notifications` that are independent of the filter.
package struct PageQuery: Hashable, Sendable {
    /// The longest `timeout`, so that an abandoned client does not hold a connection forever.
    private static let maximumTimeout = Duration.seconds(600)

    /// The largest number of entries.
    package private(set) var limit = 100
    /// The number of matching entries to leave out.
    package private(set) var offset = 0
    /// The number of matching entries to wait for; `nil` to wait for none.
    package private(set) var waitFor: Int?
    /// The longest wait.
    package private(set) var timeout = Duration.seconds(10)

    /// Creates the query without parameters.
    package init() {}

    /// Reads a parameter. An unknown one is an error, because a misspelled name would otherwise be ignored silently.
    package mutating func read(_ name: String, _ value: String) throws(ControlError) {
        switch name {
        case "limit": limit = try Self.count(name, value)
        case "offset": offset = try Self.count(name, value)
        case "wait_for": waitFor = try Self.count(name, value)
        case "timeout": timeout = try Self.seconds(name, value)
        default:
            throw .badRequest("unknown query parameter \(name); GET / lists the known ones")
        }
    }

    /// Reads a whole number of 0 or more.
    package static func count(_ name: String, _ value: String) throws(ControlError) -> Int {
        guard let count = Int(value), count >= 0 else {
            throw .badRequest("\(name) is not a whole number of 0 or more; write it in decimal digits")
        }
        return count
    }

    private static func seconds(_ name: String, _ value: String) throws(ControlError) -> Duration {
        guard let seconds = Double(value), seconds >= 0, seconds <= maximumTimeout / .seconds(1) else {
            throw .badRequest("\(name) is not a number of seconds from 0 to \(Int(maximumTimeout / .seconds(1)))")
        }
        return .seconds(seconds)
    }
}
