import Foundation

/// Replaces a file's contents at once: whoever reads it sees the old or the new ones, whatever happens in between.
struct AtomicFile {
    /// The file itself, behind any symbolic links.
    let path: String

    init(_ path: String) {
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// The contents, or nil when there is no file.
    func read() throws(CommandError) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError("cannot read \(path): \(Self.reason). Run this as a user who may.")
        }
        return Array(data)
    }

    /// Writes a file beside it, gives that the old one's owner and mode (0600 for a new file), and moves it into place.
    func replace(with bytes: [UInt8]) throws(CommandError) {
        let temporary = path + ".pushgate-\(getpid())"
        let descriptor = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandError("cannot write beside \(path): \(Self.reason). Run this as a user who may.")
        }
        do throws(CommandError) {
            try fill(descriptor, with: bytes)
            guard rename(temporary, path) == 0 else { throw CommandError("cannot replace \(path): \(Self.reason).") }
        } catch {
            unlink(temporary)
            throw error
        }
        synchronizeDirectory()
    }

    private func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(CommandError) {
        defer { close(descriptor) }
        var old = stat()
        if stat(path, &old) == 0 {
            guard fchown(descriptor, old.st_uid, old.st_gid) == 0, fchmod(descriptor, old.st_mode & 0o7777) == 0 else {
                throw CommandError(
                    "cannot keep the owner of \(path): \(Self.reason). Run this as its owner or as root.")
            }
        }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw CommandError("cannot write \(path): \(Self.reason).") }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw CommandError("cannot write \(path): \(Self.reason).") }
    }

    /// Makes the move itself survive a crash.
    private func synchronizeDirectory() {
        let descriptor = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
