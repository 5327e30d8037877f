import Foundation

/// A look at the disk of a data directory.
package struct DiskProbe: Sendable {
    /// The directory's path.
    private let directory: String

    /// Refers to the disk of a directory.
    package init(of directory: DataDirectory) { self.directory = directory.path }

    /// Returns the free bytes on the disk, and the limit below which new data is refused; `nil` if they cannot be read.
    ///
    /// - Parameter minimumFree: The reserve in bytes; 0 for none, `nil` for that of ``SpaceReserve``.
    package func space(minimumFree: Int64?) -> (free: Int64, minimum: Int64)? {
        guard let space = try? FileSystemSpace(at: directory) else { return nil }
        return (space.free, SpaceReserve(minimumFree: minimumFree).bound(of: space))
    }

    /// Returns the middle of nine measured flushes (fsync(2)) of a page.
    package func medianFlush() throws -> Duration {
        let path = "\(directory)/doctor-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let file = try OpenFile(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode: 0o600)
        defer { unlink(path) }
        var times: [Duration] = []
        for _ in 0..<9 {
            let begin = ContinuousClock.now
            try file.append([UInt8](repeating: 0, count: 4_096))
            try file.synchronize()
            times.append(ContinuousClock.now - begin)
        }
        return times.sorted()[times.count / 2]
    }
}
