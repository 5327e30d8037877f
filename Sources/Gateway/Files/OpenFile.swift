internal import Foundation

/// An open file or directory, closed when it goes out of scope.
struct OpenFile: ~Copyable {
    private let descriptor: Int32

    /// - Parameter mode: of a file that is made.
    init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
        let opened = open(path, flags | O_CLOEXEC, mode)
        guard opened >= 0 else { throw SystemError() }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// All there is from here to the end.
    borrowing func contents() throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return contents }
            if count > 0 { contents += buffer[..<count] } else if errno != EINTR { throw SystemError() }
        }
    }

    /// As much of these bytes as there is.
    borrowing func contents(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
        var contents = [UInt8](repeating: 0, count: range.count)
        var count = 0
        while count < contents.count {
            let read = contents[count...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(range.lowerBound + count))
            }
            if read == 0 { break }
            if read > 0 { count += read } else if errno != EINTR { throw SystemError() }
        }
        return Array(contents[..<count])
    }

    /// In bytes.
    borrowing func size() throws(SystemError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError() }
        return Int(status.st_size)
    }

    borrowing func append(_ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { written += count } else if errno != EINTR { throw SystemError() }
        }
    }

    /// The owner first: giving a file away takes bits of its mode.
    borrowing func set(_ access: FileAccess) throws(SystemError) {
        if let owner = access.owner, fchown(descriptor, owner.user, owner.group) != 0 { throw SystemError() }
        guard fchmod(descriptor, access.mode) == 0 else { throw SystemError() }
    }

    /// Returns once it is on the disk.
    borrowing func synchronize() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError() }
    }

    // MARK: Locks

    /// Waits until nobody else has it locked.
    borrowing func lock() throws(SystemError) {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemError() }
        }
    }

    borrowing func unlock() { flock(descriptor, LOCK_UN) }
}
