/// The end of a connection without GOAWAY and without TLS's close_notify.
public struct ConnectionBreakage: Hashable, Sendable {
    /// What the client's TCP sees.
    public enum Kind: String, Hashable, Sendable {
        /// RST: as when a load balancer has forgotten the connection. What was sent just before may be lost.
        case reset
        /// FIN: as when the process at the other end has died.
        case close
    }

    /// So many requests are taken; the next one meets the end.
    public var afterRequests: Int
    public var kind: Kind
    /// Whether that request is still processed, and the connection breaks between the HEADERS frame of its answer and
    /// the end of it.
    public var isInAnswer: Bool

    public init(afterRequests: Int, kind: Kind = .reset, isInAnswer: Bool = false) {
        self.afterRequests = afterRequests
        self.kind = kind
        self.isInAnswer = isInAnswer
    }
}
