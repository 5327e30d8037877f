#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The size and free space of a file system, in bytes.
struct FileSystemSpace: Hashable, Sendable {
    /// The bytes that this process may still write.
    let free: Int64
    let size: Int64

    init(free: Int64, size: Int64) {
        self.free = free
        self.size = size
    }

    /// Reads the space of the file system that contains the path (statvfs(3)).
    init(at path: String) throws(SystemError) {
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { throw SystemError() }
        let block = Int64(clamping: space.f_frsize)
        self.init(
            free: Int64(clamping: space.f_bavail).multiplied(by: block),
            size: Int64(clamping: space.f_blocks).multiplied(by: block))
    }
}

extension Int64 {
    fileprivate func multiplied(by other: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
