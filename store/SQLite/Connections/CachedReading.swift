import CachedReads
import GRDBSQLite

/// SQLite reads that use only data in the operating system's memory, so that the thread never waits for the disk.
enum CachedReading {
    /// Returns `true` if the file system of a database can report which data is in memory.
    static func isPossible(at path: String) -> Bool { cached_reads_are_possible(path) }

    /// Runs the closure. In it, SQLite reads fail with `SQLITE_IOERR` if they would need the disk.
    static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        cached_reads_begin()
        defer { cached_reads_end() }
        return try body()
    }

    /// Makes SQLite read all its files through functions that can do this (https://www.sqlite.org/c3ref/vfs.html,
    /// `xSetSystemCall`). Other reads behave as with the functions they replace.
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

    /// Replaces one of SQLite's system calls.
    ///
    /// - Parameter name: SQLite has the call only if it was compiled to use it.
    private static func set(
        _ name: String, of system: UnsafeMutablePointer<sqlite3_vfs>, to function: sqlite3_syscall_ptr
    ) {
        guard system.pointee.xGetSystemCall?(system, name) != nil else { return }
        _ = system.pointee.xSetSystemCall?(system, name, function)
    }
}
