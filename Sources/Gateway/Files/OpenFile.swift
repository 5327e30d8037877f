internal import Foundation

/// An open file or directory, closed when it goes out of scope.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    /// - Parameter mode: of a file that is made.
    init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
        let opened = open(path, flags | O_CLOEXEC, mode)
        guard opened >= 0 else { throw SystemError() }
        descriptor = opened
    }

    /// Opens a regular file in a directory, or with `O_DIRECTORY` a folder: never through a symbolic link, and nothing
    /// that reading would wait for, as it does for a FIFO.
    ///
    /// - Parameters:
    ///   - mode: of a file that is made.
    ///   - owners: the users whose file it may be; `nil` for any.
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

    /// The status of what has a name in this directory, a link's own; `nil` if there is nothing.
    borrowing func status(of name: String) throws(SystemError) -> FileStatus? {
        try FileStatus(of: name, in: descriptor)
    }

    /// Leaves it open for as long as the process lives.
    consuming func keepOpen() { discard self }
}

extension SystemError {
    fileprivate init(notRegular kind: FileStatus.Kind) {
        self.init(code: EINVAL, "it is \(kind.rawValue), and no regular file")
    }

    /// `errno` as `openat` left it. A link or a socket is called by its name: the system's words for it (“Too many levels
    /// of symbolic links”, “No such device or address”) tell few people what to do.
    fileprivate init(opening name: String, in directory: borrowing OpenFile) {
        let error = SystemError()
        switch try? directory.status(of: name)?.kind {
        case .link where [ELOOP, ENOTDIR].contains(error.code):
            self.init(code: ELOOP, "it is a symbolic link, and none is followed here")
        case .fifo where error.code == ENXIO: self.init(notRegular: .fifo)
        case .socket where error.code == ENXIO: self.init(notRegular: .socket)
        case .device where error.code == ENXIO: self.init(notRegular: .device)
        default: self = error
        }
    }
}
