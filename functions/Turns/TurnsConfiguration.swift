public import Messaging

/// What can be set about turns; docs/functions/turns.md.
public struct TurnsConfiguration: Hashable, Sendable {
    /// Any of them opens every endpoint; with none, everybody may call.
    public var apiKeys: APIKeys = []
    /// Where the games are, without a slash at its end.
    public var site = "https://online-go.com"
    /// How often each player's games are looked at.
    public var interval = Duration.seconds(30)
    /// How many players are asked after at the same time.
    public var requestsAtOnce = 16
    /// How many players who have no device yet one address may register; 0 lifts the limit.
    public var newPlayersPerHourPerAddress = 60
    /// What every notification begins with, in brackets; nil for nothing.
    public var label: String?
    /// The app's bundle id; nil for the first one the gateway is configured with.
    public var bundleID: String?
    public var environment: APNsEnvironment?

    public init() {}
}
