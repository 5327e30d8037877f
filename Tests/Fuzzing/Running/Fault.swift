/// A behaviour that a gateway must never show.
package struct Fault: Sendable, Hashable {
    /// The kind of a fault.
    package enum Kind: String, Sendable, CaseIterable {
        /// The gateway is gone.
        case crash
        /// A server error that is not expected.
        case serverError = "server error"
        /// A call that must be refused got another answer.
        case wrongCode = "wrong code"
        /// A well-formed request got no answer.
        case noAnswer = "no answer"
        /// A connection was closed before the answer, and the answer before did not announce that.
        case cut = "cut off"
        /// The connection stays open after the client has closed its side.
        case notClosed = "not closed"
        /// An answer that is not HTTP.
        case malformed = "malformed answer"
        /// An answer without a request.
        case surplus = "surplus answer"
        /// A separate health request was not answered.
        case unhealthy
        /// A log line at level `error` or above.
        case logged = "error in the log"
        /// A log line in which a client's text acts on a terminal, begins a line, or is not cut.
        case forged = "forged line in the log"
        case memory
        case descriptors
        /// A well-formed request was refused: the table of routes is out of date.
        case refused = "refused"
    }

    /// The kind of the fault.
    package let kind: Kind
    /// The details for a report, such as a status or a log line.
    package let detail: String
    /// The requested route, or the kind of bytes.
    package let route: String
    /// The number of the request in its case.
    package let request: Int?

    package init(_ kind: Kind, _ detail: String, route: String = "", request: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.route = route
        self.request = request
    }
}
