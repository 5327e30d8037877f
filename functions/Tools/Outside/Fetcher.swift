public import HTTPTypes

/// Reads what is at an address on the web, for systems that look at other sites.
///
/// A redirection is an answer like any other: nobody follows it.
public protocol Fetcher: Sendable {
    /// - Parameters:
    ///   - url: absolute, percent-encoded; in no error and no log.
    ///   - bound: for everything, from the wait for a connection to the last byte.
    func get(_ url: String, within bound: Duration) async throws(FetchError) -> FetchedAnswer
}

/// What a site answered, whatever the status.
public struct FetchedAnswer: Sendable {
    public let status: Int
    public let headerFields: HTTPFields
    public let body: [UInt8]

    public init(status: Int, headerFields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}

/// Why there is no answer.
public struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// No connection could be made, or no secure one.
        case unreachable
        case timedOut
        /// The connection broke before the answer was whole.
        case broken
        /// The answer is longer than is taken.
        case tooLarge
        /// Nobody waits for it any more.
        case cancelled
        case other
    }

    public let kind: Kind
    /// For people: names the host at most.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
