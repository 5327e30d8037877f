#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The facts by which a file differs from a later one at its path, or from itself after a change.
struct FileVersion: Hashable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Reads the facts of the file that a path leads to through links; `nil` if there is none or it cannot be reached.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        seconds = Int64(modified.tv_sec)
        nanoseconds = Int64(modified.tv_nsec)
    }
}
