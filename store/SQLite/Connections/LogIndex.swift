#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// SQLite's index of the write-ahead log: the file `-shm`, which outlives a process that was killed. It counts the
/// frames of all commits (https://www.sqlite.org/walformat.html#the_wal_index_file_format), so it shows that somebody
/// has removed the log or cut it off. It is never flushed, so after a crash of the machine it says nothing.
struct LogIndex {
    private let log: String
    private let pageSize: Int
    /// The number of frames in the log.
    private let frames: Int
    /// The number of frames that the database file has too.
    private let copied: Int
    /// The number that the log, and each of its frames, has since it started over.
    private let salt: ArraySlice<UInt8>

    private static let version: UInt32 = 3_007_000
    private static let (headerSize, logHeading, frameHeading) = (48, 32, 24)

    /// Reads the index of a database that this process does not have open: closing the file would end SQLite's locks.
    ///
    /// - Returns: `nil` if there is no index, or none that a process has written since the machine started.
    init?(of database: String) {
        let index = database + "-shm"
        guard Self.isOfThisBoot(index), let bytes = Self.bytes(of: index, at: 0, count: 2 * Self.headerSize + 4),
            bytes[..<Self.headerSize].elementsEqual(bytes[Self.headerSize...].prefix(Self.headerSize)),
            Self.number(bytes, at: 0) == Self.version, bytes[12] == 1
        else { return nil }
        let size = bytes[14...].withUnsafeBytes { Int($0.loadUnaligned(as: UInt16.self)) }
        log = database + "-wal"
        // The greatest size does not fit into its field.
        pageSize = size == 1 ? 65_536 : size
        frames = Int(Self.number(bytes, at: 16))
        copied = Int(Self.number(bytes, at: 2 * Self.headerSize))
        salt = bytes[32..<40]
    }

    private static func isOfThisBoot(_ path: String) -> Bool {
        var (file, present, sinceBoot) = (stat(), timespec(), timespec())
        #if canImport(Darwin)
            let clock = CLOCK_MONOTONIC
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        guard stat(path, &file) == 0, clock_gettime(CLOCK_REALTIME, &present) == 0,
            clock_gettime(clock, &sinceBoot) == 0
        else { return false }
        #if canImport(Darwin)
            let modified = file.st_mtimespec
        #else
            let modified = file.st_mtim
        #endif
        return modified.tv_sec > present.tv_sec - sinceBoot.tv_sec
    }

    /// The number of frames that commits have written and that are neither in the log nor in the database.
    var missingFrames: Int {
        guard frames > copied else { return 0 }
        guard let heading = Self.bytes(of: log, at: 0, count: Self.logHeading) else { return frames - copied }
        // The log has started over since.
        guard heading[16..<24].elementsEqual(salt) else { return 0 }
        let present = (0..<frames).first { !has(frame: $0) } ?? frames
        return frames - max(present, copied)
    }

    private func has(frame: Int) -> Bool {
        let position = Self.logHeading + frame * (Self.frameHeading + pageSize)
        // The last byte of the page shows that it is not cut off.
        guard Self.bytes(of: log, at: position + Self.frameHeading + pageSize - 1, count: 1) != nil,
            let heading = Self.bytes(of: log, at: position, count: Self.frameHeading)
        else { return false }
        return heading[8..<16].elementsEqual(salt)
    }

    private static func number(_ bytes: [UInt8], at position: Int) -> UInt32 {
        bytes[position...].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }

    /// Returns the bytes at a position of a file; `nil` if it does not have them all.
    private static func bytes(of path: String, at position: Int, count: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(file, &bytes, count, off_t(position)) == count ? bytes : nil
    }
}
