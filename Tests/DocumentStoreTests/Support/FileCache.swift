import CachedReads
import Foundation

/// What the operating system has of files in memory.
enum FileCache {
    /// A Boolean value indicating whether the file system of temporary files can say what is in memory.
    static let isKnown: Bool = {
        guard let directory = try? TemporaryDirectory() else { return false }
        let path = directory.file("probe")
        guard FileManager.default.createFile(atPath: path, contents: Data(repeating: 1, count: 4_096)) else {
            return false
        }
        return read(path) != nil
    }()

    /// The first bytes of a file, if they are in memory.
    static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        cached_reads_begin()
        defer { cached_reads_end() }
        return cached_pread(file, &bytes, bytes.count, 0) == bytes.count ? bytes : nil
    }

    #if os(Linux)
        /// Puts a file on the disk, and out of memory.
        static func drop(_ path: String) {
            let file = open(path, O_RDWR)
            defer { close(file) }
            fsync(file)
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        }
    #endif
}
