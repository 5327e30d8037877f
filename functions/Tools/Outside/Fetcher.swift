package import HTTPTypes

/// A client that reads URLs, for systems that poll other sites.
///
/// Redirections are not followed; they are responses like any other.
package protocol Fetcher: Sendable {
    /// Sends a GET request.
    ///
    /// - Parameters:
    ///   - url: Absolute and percent-encoded. It appears in no error and no log.
    ///   - bound: The time limit for the whole request, from waiting for a connection to the last byte.
    func get(_ url: String, within bound: Duration) async throws(FetchError) -> FetchedAnswer
}

/// The response of a site, with any status.
package struct FetchedAnswer: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The header fields.
    package let headerFields: HTTPFields
    /// The body, in bytes.
    package let body: [UInt8]

    package init(status: Int, headerFields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}

/// The reason why there is no response.
package struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The category of the failure.
    package enum Kind: Hashable, Sendable {
        /// No connection, or no secure connection, could be made.
        case unreachable
        case timedOut
        /// The connection broke before the response was complete.
        case broken
        /// The response exceeds the size limit.
        case tooLarge
        /// The caller cancelled the request.
        case cancelled
        case other
    }

    /// The category of the failure.
    package let kind: Kind
    /// A text for people. It names at most the host.
    package let description: String

    /// - Parameter description: A text for people. It must not contain the URL.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
