internal import CachedReads
import GRDBSQLite

/// Reads of SQLite's that take only what the operating system has in memory, so that the thread never waits for the disk.
enum CachedReading {
    /// Returns whether the file system of a database can tell what is in memory.
    static func isPossible(at path: String) -> Bool { cached_reads_are_possible(path) }

    /// Runs the closure, in which reads of SQLite's fail with `SQLITE_IOERR` where the disk would be needed.
    static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        cached_reads_begin()
        defer { cached_reads_end() }
        return try body()
    }

    /// Has SQLite read all its files by functions that can do so
    /// (https://www.sqlite.org/c3ref/vfs.html, `xSetSystemCall`). For other reads these are what they stand for.
    static func install() { _ = isInstalled }

    private static let isInstalled: Bool = {
        guard let system = sqlite3_vfs_find(nil) else { return false }
        set("read", of: system, to: unsafeBitCast(readFile, to: sqlite3_syscall_ptr.self))
        for name in ["pread", "pread64"] {
            set(name, of: system, to: unsafeBitCast(readAtOffset, to: sqlite3_syscall_ptr.self))
        }
        return true
    }()

    private static let readFile: @convention(c) (CInt, UnsafeMutableRawPointer?, Int) -> Int = cached_read
    private static let readAtOffset: @convention(c) (CInt, UnsafeMutableRawPointer?, Int, off_t) -> Int = cached_pread

    /// - Parameter name: SQLite has one only if it was compiled to use it.
    private static func set(
        _ name: String, of system: UnsafeMutablePointer<sqlite3_vfs>, to function: sqlite3_syscall_ptr
    ) {
        guard system.pointee.xGetSystemCall?(system, name) != nil else { return }
        _ = system.pointee.xSetSystemCall?(system, name, function)
    }
}
