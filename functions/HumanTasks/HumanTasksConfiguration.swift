public import Messaging

/// What can be set about human tasks; docs/functions/humantasks.md.
public struct HumanTasksConfiguration: Hashable, Sendable {
    /// What links to tasks begin with, without a slash at its end; nil for where the request came to.
    public var publicURL: String?
    /// How long a task can be answered.
    public var lifetime = Duration.seconds(7 * 24 * 60 * 60)
    /// How long a task is kept, with its answers and photos, once nobody can answer it any more.
    public var retention = Duration.seconds(30 * 24 * 60 * 60)
    /// The largest photo, in bytes.
    public var maximumPhotoBytes = 10 * 1024 * 1024
    /// How many photos one task takes.
    public var maximumPhotos = 20
    /// How many devices never seen before one address may register; 0 lifts the limit.
    public var newDevicesPerHourPerAddress = 20
    /// How many tasks one device may make; 0 lifts the limit.
    public var newTasksPerHourPerDevice = 60
    /// The app's bundle id; nil for the first one the gateway is configured with.
    public var bundleID: String?
    public var environment: APNsEnvironment?

    public init() {}
}
