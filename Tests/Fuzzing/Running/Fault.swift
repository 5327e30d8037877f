/// Something that a gateway must not do, whatever it is sent.
public struct Fault: Sendable, Hashable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The gateway is gone.
        case crash
        /// An error of the server's that is not expected.
        case serverError = "server error"
        /// A well-formed request got no answer.
        case noAnswer = "no answer"
        /// A connection was closed before the answer, though the answer before did not say so.
        case cut = "cut off"
        /// The connection stays open after the client has closed its side.
        case notClosed = "not closed"
        /// An answer that is not HTTP.
        case malformed = "malformed answer"
        /// An answer to no request.
        case surplus = "surplus answer"
        /// Somebody else's request for the gateway's health was not answered.
        case unhealthy
        /// A line at the level `error`, or a worse one.
        case logged = "error in the log"
        case memory
        case descriptors
        /// A well-formed request was refused: the table of routes is out of date.
        case refused = "refused"
    }

    public let kind: Kind
    public let detail: String
    /// The route that was asked, or how.
    public let route: String
    /// The number of the request in its case.
    public let request: Int?

    public init(_ kind: Kind, _ detail: String, route: String = "", request: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.route = route
        self.request = request
    }
}
