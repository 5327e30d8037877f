/// A push service with broadcast channels: one request reaches all cards that follow a channel.
///
/// Apple's channels belong to one app in one environment.
package protocol ChannelService: Sendable {
    /// Returns the app and environment that the configuration gives to an app; `nil` if the service does not send for
    /// it, or has no channels for it.
    func resolved(_ app: AppIdentity) -> AppIdentity?

    /// Creates a channel. Its storage cannot be changed later.
    func create(for app: AppIdentity, storing: ChannelStorage) async throws(ChannelError) -> ChannelID

    /// Returns all channels of an app, those that others have created too.
    func channels(of app: AppIdentity) async throws(ChannelError) -> Set<ChannelID>

    /// Deletes a channel. Its id is never used again.
    func delete(_ channel: ChannelID, of app: AppIdentity) async throws(ChannelError)

    /// Sends a broadcast.
    func publish(_ broadcast: ChannelBroadcast, to channel: ChannelID, of app: AppIdentity) async throws(ChannelError)
}

/// The updates that a channel keeps for devices that are off, as Apple's `message-storage-policy`.
package enum ChannelStorage: Int, Sendable {
    /// None. Broadcasts have the expiration 0.
    case nothing = 0
    /// The newest, until its expiration.
    case newest = 1
}

/// The reason why a request about a channel failed.
package struct ChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. The raw values are labels of metrics.
    package enum Kind: String, Sendable, CaseIterable {
        /// There is no such channel: it never existed, or was deleted.
        case unknownChannel = "unknown_channel"
        /// The app has as many channels as it may have.
        case limitReached = "limit_reached"
        /// The app has no permission for broadcasts, which its developer gives it at Apple.
        case featureOff = "feature_off"
        /// The channel belongs to another app, or the key does not serve this one.
        case wrongApp = "wrong_app"
        /// The service refuses the key.
        case refused
        /// The request itself is wrong.
        case invalidRequest = "invalid_request"
        /// The service has no capacity or no answer. It will recover.
        case unavailable
    }

    /// The kind of failure.
    package let kind: Kind
    /// The service's own word, such as `ChannelNotRegistered`, or one of ours in the same form.
    package let reason: String
    /// The wait that the service asked for.
    package let retryAfter: Duration?
    /// `true` if the service may have done what was asked, because the answer is missing or says nothing.
    package let mayHaveHappened: Bool

    package init(_ kind: Kind, reason: String, retryAfter: Duration? = nil, mayHaveHappened: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.retryAfter = retryAfter
        self.mayHaveHappened = mayHaveHappened
    }

    /// The reason and the kind.
    package var description: String { "\(reason) (\(kind.rawValue))" }
}
