internal import Foundation

/// Reading and writing.
extension OpenFile {
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
    borrowing func size() throws(SystemError) -> Int { try status().size }

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

    /// The names in this directory, in order.
    borrowing func names() throws(SystemError) -> [String] {
        // The stream has a descriptor, and a place in the directory, of its own.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw SystemError() }
        guard let stream = fdopendir(copy) else {
            let error = SystemError()
            close(copy)
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes what is in this directory, and below it.
    borrowing func removeContents() throws(SystemError) {
        for name in try names() { try remove(name) }
    }

    private borrowing func remove(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) != 0, errno != ENOENT else { return }
        let error = SystemError()
        // Of a folder Linux says EISDIR, and POSIX EPERM.
        guard error.code == EISDIR || error.code == EPERM else { throw error }
        try OpenFile(name, in: self, O_RDONLY | O_DIRECTORY).removeContents()
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw SystemError() }
    }
}
