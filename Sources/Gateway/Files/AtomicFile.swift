internal import Foundation

/// A file that is replaced at once: whoever reads it sees the old or the new contents, whatever happens in between; and
/// nobody, at any moment, who may not.
public struct AtomicFile: Sendable {
    public let path: String

    public init(_ path: String) { self.path = path }

    /// The file behind any symbolic links, which stay.
    public init(resolving path: String) { self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

    /// The contents, or nil when there is no file. One that is there and cannot be read is an error.
    public func contents() throws(GatewayError) -> [UInt8]? {
        try read { file throws(SystemError) in try file.contents() }
    }

    /// What is read of the file while it is open, or nil when there is none.
    func read<Output>(
        _ work: (borrowing OpenFile) throws(SystemError) -> Output
    ) throws(GatewayError) -> Output? {
        do throws(SystemError) {
            return try work(OpenFile(path, O_RDONLY))
        } catch {
            if error.code == ENOENT { return nil }
            throw GatewayError(cannot: "read", path, error)
        }
    }

    /// Writes a file beside it, and moves that into its place. It is on the disk when this returns.
    public func replace(with bytes: [UInt8], access: FileAccess) throws(GatewayError) {
        let temporary = "\(path).new-\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        do throws(SystemError) {
            try Self.make(temporary, with: bytes, access)
            guard rename(temporary, path) == 0 else { throw SystemError() }
        } catch {
            unlink(temporary)
            throw GatewayError(cannot: "write", path, error)
        }
        synchronizeDirectory()
    }

    private static func make(_ path: String, with bytes: [UInt8], _ access: FileAccess) throws(SystemError) {
        let file = try OpenFile(path, O_CREAT | O_EXCL | O_WRONLY, mode: 0o600)
        try file.set(access)
        try file.append(bytes)
        try file.synchronize()
    }

    /// Has the move itself survive a crash, where the file system can do that.
    private func synchronizeDirectory() {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? OpenFile(directory, O_RDONLY | O_DIRECTORY).synchronize()
    }
}
