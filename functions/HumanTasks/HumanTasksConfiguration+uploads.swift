/// What follows for requests that have photos.
extension HumanTasksConfiguration {
    private static let severalPhotosBytes = 64 * 1024 * 1024
    /// How many of the largest uploads are read at once: they are read whole.
    private static let largestUploadsAtOnce = 4

    /// What photos may have together in one request, in bytes: several, as a form sends them, or one.
    var maximumPhotosAtOnceBytes: Int { min(largestPhotosBytes, maximumPhotoBytes * max(1, maximumPhotos)) }

    /// The largest body that is taken, in bytes.
    public var maximumUploadBytes: Int { maximumPhotosAtOnceBytes + HumanTasks.maximumBodyBytes }

    /// The memory that all uploads may have together, in bytes.
    var uploadBudgetBytes: Int { (largestPhotosBytes + HumanTasks.maximumBodyBytes) * Self.largestUploadsAtOnce }

    private var largestPhotosBytes: Int { max(maximumPhotoBytes, Self.severalPhotosBytes) }
}
