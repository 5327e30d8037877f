package import Settings

/// The settings of human tasks. docs/functions/humantasks.md describes them.
package struct HumanTasksSettings: ModuleSettings {
    /// The beginning of links to tasks, without a slash at its end; `nil` for the gateway's own, or the origin of the
    /// request.
    package var publicURL: String?
    /// The time in which a task can be answered.
    package var lifetime = Duration.seconds(7 * 24 * 60 * 60)
    /// The time that a task is kept, with its answers and photos, after it has ended.
    package var retention = Duration.seconds(30 * 24 * 60 * 60)
    /// The maximum size of a photo, in bytes.
    package var maximumPhotoBytes = 10 * 1024 * 1024
    /// The maximum number of photos per task.
    package var maximumPhotos = 20
    /// The maximum number of new devices that one address may register per hour; 0 removes the limit.
    package var newDevicesPerHourPerAddress = 20
    /// The maximum number of tasks that one device may create per hour; 0 removes the limit.
    package var newTasksPerHourPerDevice = 60
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    package var bundleID: String?
    /// The environment of the devices' tokens; `nil` for the app's.
    package var environment: String?

    /// The default settings.
    package init() {}
}

extension HumanTasksSettings: DeclaredSettings {
    /// The settings, each declared once.
    package static let settings: [Setting<HumanTasksSettings>] = [
        .enabled(),
        Setting(
            "publicUrl", optional: \.publicURL, .webAddress(), absent: "that of `http.publicUrl`",
            "The beginning of links to tasks"),
        Setting("lifetime", \.lifetime, .duration(), "The time for which a task accepts answers"),
        Setting("retention", \.retention, .duration(), "The time for which a task is kept after it has ended"),
        Setting("maximumPhotoBytes", \.maximumPhotoBytes, .integer(1_024...104_857_600), "The largest photo"),
        Setting("maximumPhotos", \.maximumPhotos, .integer(0...1_000), "The number of photos of one task"),
        Setting(
            "newDevicesPerHourPerAddress", \.newDevicesPerHourPerAddress, .count(),
            "The number of new devices that one address may register in an hour; 0 for no limit"),
        Setting(
            "newTasksPerHourPerDevice", \.newTasksPerHourPerDevice, .count(),
            "The number of tasks that one device may make in an hour; 0 for no limit"),
        .bundleID(\.bundleID),
        .environment(\.environment),
    ]

    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.isEnabled() else { return nil }
        self.init()
        try apply(settings)
    }
}

/// The limits of uploads, derived from the settings.
extension HumanTasksSettings {
    private static let severalPhotosBytes = 64 * 1024 * 1024
    /// The number of the largest uploads that fit in memory at the same time. Uploads are read into memory as a
    /// whole.
    private static let largestUploadsAtOnce = 4

    /// The limits of photos. A request contains several, as a form sends them, or one.
    var photoLimits: PhotoLimits {
        PhotoLimits(
            count: maximumPhotos, bytes: maximumPhotoBytes,
            totalBytes: min(largestPhotosBytes, maximumPhotoBytes * max(1, maximumPhotos)))
    }

    /// The maximum size of a body, in bytes.
    package var maximumUploadBytes: Int { photoLimits.totalBytes + HumanTasks.maximumBodyBytes }

    /// The memory for all uploads together, in bytes.
    var uploadBudgetBytes: Int { (largestPhotosBytes + HumanTasks.maximumBodyBytes) * Self.largestUploadsAtOnce }

    private var largestPhotosBytes: Int { max(maximumPhotoBytes, Self.severalPhotosBytes) }
}
