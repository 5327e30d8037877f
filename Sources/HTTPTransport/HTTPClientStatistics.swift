/// What a client has done since it was made, at one moment.
public struct HTTPClientStatistics: Sendable, Equatable {
    /// Requests that were accepted, finished or not.
    public var requests = 0
    /// Requests that are not finished: on a connection, or waiting for one.
    public var inFlight = 0
    /// Requests that were answered, whatever the status.
    public var answered = 0
    /// Connections that were opened.
    public var connectionsOpened = 0
    /// Requests that were not answered, by the kind of error.
    public var failures: [HTTPClientError.Kind: Int] = [:]

    /// Nothing done yet.
    public init() {}
}
