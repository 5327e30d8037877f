internal import Functions
internal import Messaging

extension HumanTasksConfiguration {
    static let keys = SystemKeys(
        "humantasks",
        [
            "bundleId", "environment", "lifetime", "maximumPhotoBytes", "maximumPhotos", "newDevicesPerHourPerAddress",
            "newTasksPerHourPerDevice", "publicUrl", "retention",
        ])

    /// nil when it is not switched on.
    init?(_ settings: Settings) throws(ConfigurationError) {
        guard try Self.keys.areOn(settings) else { return nil }
        let prefix = Self.keys.prefix
        self.init()
        publicURL = try settings.webAddress(prefix + "publicUrl")
        lifetime = try settings.duration(prefix + "lifetime") ?? lifetime
        retention = try settings.duration(prefix + "retention") ?? retention
        maximumPhotoBytes =
            try settings.integer(prefix + "maximumPhotoBytes", in: 1_024...100 * 1_024 * 1_024) ?? maximumPhotoBytes
        maximumPhotos = try settings.integer(prefix + "maximumPhotos", in: 0...1_000) ?? maximumPhotos
        newDevicesPerHourPerAddress =
            try settings.integer(prefix + "newDevicesPerHourPerAddress", in: 0...1_000_000_000)
            ?? newDevicesPerHourPerAddress
        newTasksPerHourPerDevice =
            try settings.integer(prefix + "newTasksPerHourPerDevice", in: 0...1_000_000_000)
            ?? newTasksPerHourPerDevice
        bundleID = settings.string(prefix + "bundleId")
        environment = try settings.choice(prefix + "environment")
    }
}
