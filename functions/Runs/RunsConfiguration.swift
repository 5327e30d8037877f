public import Messaging

/// What can be set about runs; docs/functions/runs.md.
public struct RunsConfiguration: Hashable, Sendable {
    /// Any of them opens every endpoint.
    public var apiKeys: APIKeys = []
    /// When, after the first notification of an approval, the reminders follow: two at the most.
    public var reminders: [Duration] = [.seconds(15 * 60), .seconds(60 * 60)]
    /// The app's bundle id; nil for the first one the gateway is configured with.
    public var bundleID: String?
    public var environment: APNsEnvironment?

    public init() {}
}
