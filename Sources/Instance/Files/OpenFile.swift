import Foundation

/// An open file or directory that is closed at the end of its scope.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    /// Opens a file.
    ///
    /// - Parameter mode: The mode of a new file.
    init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
        let opened = open(path, flags | O_CLOEXEC, mode)
        guard opened >= 0 else { throw SystemError() }
        descriptor = opened
    }

    /// Opens a regular file in a directory, or a folder if the flags contain `O_DIRECTORY`. It never follows a
    /// symbolic link, and refuses files such as a FIFO, on which reading would block.
    ///
    /// - Parameters:
    ///   - mode: The mode of a new file.
    ///   - owners: The users who may own the file; `nil` for any user.
    init(
        _ name: String, in directory: borrowing OpenFile, _ flags: Int32, mode: mode_t = 0, owners: FileOwners? = nil
    ) throws(SystemError) {
        let opened = openat(
            directory.descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode)
        guard opened >= 0 else { throw SystemError(opening: name, in: directory) }
        do throws(SystemError) {
            try Self.check(FileStatus(of: opened), isFolder: flags & O_DIRECTORY != 0, owners)
        } catch {
            close(opened)
            throw error
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    private static func check(_ status: FileStatus, isFolder: Bool, _ owners: FileOwners?) throws(SystemError) {
        guard status.kind != .directory || isFolder else { throw SystemError(code: EISDIR) }
        guard status.kind == .regular || isFolder else { throw SystemError(notRegular: status.kind) }
        try owners?.check(status)
    }

    borrowing func status() throws(SystemError) -> FileStatus { try FileStatus(of: descriptor) }

    /// Returns the status of an entry in this directory, or of the link itself if it is a link; `nil` if there is
    /// none.
    borrowing func status(of name: String) throws(SystemError) -> FileStatus? {
        try FileStatus(of: name, in: descriptor)
    }

    /// Keeps the file open for the lifetime of the process.
    consuming func keepOpen() { discard self }
}

extension SystemError {
    fileprivate init(notRegular kind: FileStatus.Kind) {
        self.init(code: EINVAL, "it is \(kind.rawValue), not a regular file")
    }

    /// Creates an error from the `errno` that `openat` set. A link or a socket gets a text that names it, because the
    /// system's texts (“Too many levels of symbolic links”, “No such device or address”) do not tell most people what
    /// to do.
    fileprivate init(opening name: String, in directory: borrowing OpenFile) {
        let error = SystemError()
        switch try? directory.status(of: name)?.kind {
        case .link where [ELOOP, ENOTDIR].contains(error.code):
            self.init(code: ELOOP, "it is a symbolic link, and links are not followed here")
        case .fifo where error.code == ENXIO: self.init(notRegular: .fifo)
        case .socket where error.code == ENXIO: self.init(notRegular: .socket)
        case .device where error.code == ENXIO: self.init(notRegular: .device)
        default: self = error
        }
    }
}

/// Reading, writing and listing.
extension OpenFile {
    /// Returns all bytes from the current position to the end.
    borrowing func contents() throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return contents }
            if count > 0 { contents += buffer[..<count] } else if errno != EINTR { throw SystemError() }
        }
    }

    /// Returns the bytes of the range that exist.
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

    /// Returns the size in bytes.
    borrowing func size() throws(SystemError) -> Int { try status().size }

    borrowing func append(_ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { written += count } else if errno != EINTR { throw SystemError() }
        }
    }

    /// Sets the owner, then the mode, because a change of the owner clears bits of the mode.
    borrowing func set(_ access: FileAccess) throws(SystemError) {
        if let owner = access.owner, fchown(descriptor, owner.user, owner.group) != 0 { throw SystemError() }
        guard fchmod(descriptor, access.mode) == 0 else { throw SystemError() }
    }

    /// Waits until the contents are on the disk.
    borrowing func synchronize() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError() }
    }

    /// Returns the names in this directory, sorted.
    borrowing func names() throws(SystemError) -> [String] {
        // The stream gets a descriptor and a position of its own.
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

    /// Removes all contents of this directory.
    borrowing func removeContents() throws(SystemError) {
        for name in try names() { try remove(name) }
    }

    /// Removes a file, or a folder with its contents, from this directory. A flush of the directory has to follow.
    borrowing func remove(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) != 0, errno != ENOENT else { return }
        let error = SystemError()
        // For a folder, Linux reports EISDIR, and POSIX EPERM.
        guard error.code == EISDIR || error.code == EPERM else { throw error }
        try OpenFile(name, in: self, O_RDONLY | O_DIRECTORY).removeContents()
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw SystemError() }
    }
}

/// Locks of `flock(2)`, which end with the process in every case.
extension OpenFile {
    /// Takes the lock; returns `false` if another process holds it.
    borrowing func tryLock() throws(SystemError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw SystemError() }
        }
        return true
    }

    /// Returns the process that holds the lock; `nil` if the system does not tell (Linux does, in `/proc/locks`).
    borrowing func lockHolder() -> Int32? {
        #if os(Linux)
            guard let name = try? status().lockName else { return nil }
            // The system writes a long table in pieces, and omits lines if other processes lock files in the
            // meantime.
            for _ in 0..<10 {
                if let holder = LockTable.holder(of: name) { return holder }
            }
        #endif
        return nil
    }
}

#if os(Linux)
    /// The locks that processes hold, from proc_locks(5).
    private enum LockTable {
        static func holder(of name: String) -> Int32? {
            // Foundation would read only the first piece of such a file, one page.
            guard let table = try? OpenFile("/proc/locks", O_RDONLY).contents() else { return nil }
            for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
                // For example “1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF”; “->” marks a process that waits.
                let words = line.split(separator: " ")
                guard words.count > 5, words[1] == "FLOCK", words[5] == name else { continue }
                return Int32(words[4])
            }
            return nil
        }
    }
#endif
