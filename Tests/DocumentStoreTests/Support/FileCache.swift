import CachedReads
import Foundation

/// The pages of files that the operating system has in memory.
enum FileCache {
    /// `true` if the file system of temporary files can report what is in memory.
    static let isKnown: Bool = {
        guard let directory = try? TemporaryDirectory() else { return false }
        let path = directory.file("probe")
        return FileManager.default.createFile(atPath: path, contents: nil) && cached_reads_are_possible(path)
    }()

    /// Returns the first bytes of a file if they are in memory. Otherwise the system begins to read them.
    static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        cached_reads_begin()
        defer { cached_reads_end() }
        return cached_pread(file, &bytes, bytes.count, 0) == bytes.count ? bytes : nil
    }

    #if os(Linux)
        /// Writes a file to the disk and removes it from memory, as far as the system allows.
        static func drop(_ path: String) {
            let file = open(path, O_RDWR)
            defer { close(file) }
            for _ in 0..<10_000 where pagesInMemory(file) > 0 {
                fsync(file)
                posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
                if pagesInMemory(file) > 0 { usleep(1_000) }
            }
        }

        /// Returns the number from mincore(2), which reads nothing.
        private static func pagesInMemory(_ file: CInt) -> Int {
            let size = Int(lseek(file, 0, SEEK_END))
            guard size > 0, let memory = mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), memory != MAP_FAILED else {
                return 0
            }
            defer { munmap(memory, size) }
            let page = Int(getpagesize())
            var pages = [UInt8](repeating: 0, count: (size + page - 1) / page)
            return mincore(memory, size, &pages) == 0 ? pages.count { $0 & 1 == 1 } : 0
        }
    #endif
}
