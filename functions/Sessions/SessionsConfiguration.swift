/// What can be set about coding sessions; docs/functions/sessions.md.
public struct SessionsConfiguration: Hashable, Sendable {
    /// Opens every endpoint.
    public var masterKey: APIKeys
    /// Each opens the endpoints that read; one that is a write key too opens all.
    public var readKeys: APIKeys = []
    /// Each opens the endpoints that write.
    public var writeKeys: APIKeys = []
    /// How long a session is silent about a type after it has notified of it; permission prompts always notify.
    public var coolDown = Duration.seconds(30)
    /// How long notifications, events, sessions and devices are kept: the first two from when they came, the others from
    /// when they were last heard of.
    public var notificationRetention = Duration.seconds(24 * 60 * 60)
    public var eventRetention = Duration.seconds(7 * 24 * 60 * 60)
    public var sessionRetention = Duration.seconds(7 * 24 * 60 * 60)
    public var deviceRetention = Duration.seconds(30 * 24 * 60 * 60)
    /// The app's bundle id; nil for the first one the gateway is configured with.
    public var bundleID: String?

    public init(masterKey: String) { self.masterKey = [masterKey] }

    /// Returns whether a text has the form of the keys beside the master key: `claud_` and 32 hexadecimal digits.
    public static func isKey(_ text: String) -> Bool { GeneratedKey.isWellFormed(text) }
}
