import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The files of a database: accessible to their owner only, and open in one process at a time.
///
/// SQLite before 3.51.3 can lose commits when two connections of different processes reset the write-ahead log at
/// once ([release notes](https://www.sqlite.org/changes.html)), and group commit requires a single writer anyway. A
/// lock on a file beside the database therefore rejects a second process. The lock is not on the database itself,
/// because closing any of its descriptors would drop the locks that SQLite holds in this process.
///
/// No file may be a symbolic link, or belong to a user other than root, this process's user and the directory's
/// owner; such a file could make a process of root write elsewhere. SQLite itself opens the `-wal` and `-shm` files
/// without following links, and gives them to the database's owner.
final class DatabaseFile: Sendable {
    /// The descriptors of the lock file and of the database; `nil` after their release.
    private let descriptors: Mutex<(lock: CInt, database: CInt)?>

    /// Creates the files if they are missing, and locks the database.
    ///
    /// - Throws: `UNAVAILABLE` if the directory is not writable, one of the files is not acceptable, or another
    ///   process has the database open.
    init(path: String) throws(StoreError) {
        let descriptor = try Self.openPrivately(Self.lockPath(of: path), beside: path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(
                .unavailable, "\(path) is open already; stop the other server, or ask it over HTTP instead")
        }
        // SQLite gives the -wal and -shm files the mode of the database, which therefore must be correct before they
        // exist.
        do {
            descriptors = Mutex((descriptor, try Self.openPrivately(path, beside: path)))
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { release() }

    /// Returns the path of the lock file of a database.
    static func lockPath(of path: String) -> String { path + ".lock" }

    /// Releases the lock, so that the next engine can open the file. Call it after SQLite has closed the database: the
    /// end of this descriptor ends the locks of all others in this process.
    func release() {
        descriptors.withLock { descriptors in
            if let (lock, database) = descriptors {
                close(database)
                // A process that is just being started has the descriptor too, and closes it in a moment only.
                flock(lock, LOCK_UN)
                close(lock)
            }
            descriptors = nil
        }
    }

    /// The facts of the open database, whatever is at its path; `nil` after the release.
    var facts: FileFacts? {
        descriptors.withLock { descriptors in
            var status = stat()
            guard let database = descriptors?.database, fstat(database, &status) == 0 else { return nil }
            return FileFacts(status)
        }
    }

    /// The text with which a database begins (https://www.sqlite.org/fileformat2.html#the_database_header).
    private static let heading: StaticString = "SQLite format 3\0"

    /// `true` if the open file begins as a database does; `nil` if its beginning cannot be read.
    var beginsAsDatabase: Bool? {
        descriptors.withLock { descriptors in
            guard let database = descriptors?.database else { return nil }
            let size = Self.heading.utf8CodeUnitCount
            return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { bytes in
                guard let start = bytes.baseAddress, pread(database, start, size, 0) == size else { return nil }
                return memcmp(start, Self.heading.utf8Start, size) == 0
            }
        }
    }

    private static func openPrivately(_ path: String, beside database: String) throws(StoreError) -> CInt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        let reason = descriptor < 0 ? reason(errno) : problem(descriptor, directory(of: database))
        guard let reason else { return descriptor }
        if descriptor >= 0 { close(descriptor) }
        throw StoreError(
            .unavailable, "cannot open \(path): \(reason); check that the directory is there and may be written")
    }

    private static func reason(_ code: CInt) -> String {
        code == ELOOP ? "it is a symbolic link, and none is followed here" : String(cString: strerror(code))
    }

    /// Restricts an open file to its owner. Returns the reason why the file is not acceptable; `nil` if it is.
    private static func problem(_ descriptor: CInt, _ directory: String) -> String? {
        var (file, parent) = (stat(), stat())
        guard fstat(descriptor, &file) == 0, stat(directory, &parent) == 0 else { return reason(errno) }
        guard file.st_mode & S_IFMT == S_IFREG else { return "it is not a regular file" }
        guard [0, geteuid(), parent.st_uid].contains(file.st_uid) else {
            return "it belongs to user \(file.st_uid), and not to the directory's owner"
        }
        // Files that root creates in another user's directory belong to that user, who could not open them otherwise.
        if geteuid() == 0, file.st_uid != parent.st_uid, fchown(descriptor, parent.st_uid, parent.st_gid) != 0 {
            return reason(errno)
        }
        return fchmod(descriptor, 0o600) == 0 ? nil : reason(errno)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
