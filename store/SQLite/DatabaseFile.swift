import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The files of a database: made for their owner only, and one process's at a time.
///
/// SQLite before 3.51.3 can lose commits when two connections of different processes reset the write-ahead log at once
/// ([release notes](https://www.sqlite.org/changes.html)), and group commit relies on one writer anyway. So a second
/// process is turned away by a lock on a file beside the database; not on the database, where closing a descriptor
/// would drop the locks SQLite holds in this process.
final class DatabaseFile: Sendable {
    /// The lock file's descriptor, while it is held.
    private let lock: Mutex<CInt?>

    /// - Throws: `UNAVAILABLE` when the directory cannot be written, or another process has the database.
    init(path: String) throws(StoreError) {
        let descriptor = try Self.openPrivately(path + ".lock")
        lock = Mutex(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError(
                .unavailable, "\(path) is open already; stop the other server, or ask it over HTTP instead")
        }
        // SQLite gives the -wal and -shm files the mode of the database, so it must be right before they are made.
        close(try Self.openPrivately(path))
    }

    deinit { release() }

    /// Lets the next engine have the file.
    func release() {
        lock.withLock { descriptor in
            if let descriptor { close(descriptor) }
            descriptor = nil
        }
    }

    private static func openPrivately(_ path: String) throws(StoreError) -> CInt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw StoreError(
                .unavailable, "cannot open \(path): \(reason); check that the directory is there and may be written")
        }
        return descriptor
    }
}
