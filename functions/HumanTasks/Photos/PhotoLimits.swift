/// The limits of a task's photos.
struct PhotoLimits: Hashable, Sendable {
    /// The maximum number of photos per task.
    let count: Int
    /// The maximum size of each photo, in bytes.
    let bytes: Int
    /// The maximum size of all photos in one request, in bytes.
    let totalBytes: Int

    var megabytes: Int { max(1, bytes / (1024 * 1024)) }
    var totalMegabytes: Int { max(1, totalBytes / (1024 * 1024)) }
}
