/// What has happened since the start or the last reset, in numbers.
public struct SimulatorCounters: Hashable, Sendable {
    /// TCP connections accepted from senders.
    public var connectionsOpened = 0
    /// Connections open now; a reset leaves it as it is.
    public var connectionsOpen = 0
    /// HTTP/2 streams opened by clients.
    public var streams = 0
    /// Streams that clients reset before they were answered.
    public var streamsReset = 0
    /// Streams refused as scripted, with REFUSED_STREAM.
    public var streamsRefused = 0
    /// Streams reset as scripted, with any other error code.
    public var streamsAborted = 0
    /// GOAWAY frames sent: as scripted, at shutdown, and for errors of clients.
    public var goAwaysSent = 0
    /// Connections that stopped answering as scripted, in the TLS handshake or later.
    public var connectionsStalled = 0
    /// Connections that ended as scripted without GOAWAY.
    public var connectionsBroken = 0
    /// Requests that were answered, or are held back by a delay.
    public var requests = 0
    /// Requests by the status of their answer.
    public var requestsByStatus: [Int: Int] = [:]
    /// Refused requests by the reason they were given.
    public var requestsByReason: [String: Int] = [:]
    /// Accepted notifications whose `apns-id` had been accepted before: what a phone would have been told twice.
    public var duplicates = 0
    /// Different device tokens that notifications were accepted for.
    public var distinctTokens = 0
    /// Different values of `authorization` that requests came with, good or not.
    public var distinctProviderTokens = 0
    /// Requests that are counted here but no longer kept in the history.
    public var forgotten = 0

    public init() {}

    /// Requests that were answered 200.
    public var accepted: Int { requestsByStatus[200] ?? 0 }
    /// Requests that were not.
    public var rejected: Int { requests - accepted }
}
