internal import Foundation

/// A regular file that is replaced at once: whoever reads it sees the old or the new contents, whatever happens in between;
/// and nobody, at any moment, who may not.
public struct AtomicFile: Sendable {
    let folder: Folder
    let name: String

    public var path: String { "\(folder.path)/\(name)" }

    /// A file that the operator names, whoever owns it.
    ///
    /// - Parameter path: that of the file itself: a symbolic link is refused.
    public init(_ path: String) {
        guard let slash = path.lastIndex(of: "/") else {
            self.init(path, in: Folder(".", isOwned: false))
            return
        }
        let folder = slash == path.startIndex ? "/." : String(path[..<slash])
        self.init(String(path[path.index(after: slash)...]), in: Folder(folder, isOwned: false))
    }

    init(_ name: String, in folder: Folder) {
        self.name = name
        self.folder = folder
    }

    /// The contents; `nil` if there is no file. One that is there and cannot be read is an error.
    public func contents() throws(GatewayError) -> [UInt8]? {
        try read { file throws(SystemError) in try file.contents() }
    }

    /// The owner and mode; `nil` if there is no file.
    public func access() throws(GatewayError) -> FileAccess? {
        try read { file throws(SystemError) in FileAccess(try file.status()) }
    }

    /// Returns what is read of the file while it is open; `nil` if there is none.
    func read<Output>(
        _ work: (borrowing OpenFile) throws(SystemError) -> Output
    ) throws(GatewayError) -> Output? {
        do throws(SystemError) {
            return try folder.open { directory, owners throws(SystemError) in
                try work(OpenFile(name, in: directory, O_RDONLY, owners: owners))
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw GatewayError(cannot: "read", path, error)
        }
    }

    /// Writes a file beside it, and moves that into its place. It is on the disk when this returns.
    public func replace(with bytes: [UInt8], access: FileAccess) throws(GatewayError) {
        let temporary = "\(name).new-\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        do throws(SystemError) {
            try folder.open { directory, _ throws(SystemError) in
                do throws(SystemError) {
                    try Self.make(temporary, in: directory, with: bytes, access)
                    guard renameat(directory.descriptor, temporary, directory.descriptor, name) == 0 else {
                        throw SystemError()
                    }
                } catch {
                    unlinkat(directory.descriptor, temporary, 0)
                    throw error
                }
                // Has the move itself survive a crash, where the file system can do that.
                try? directory.synchronize()
            }
        } catch {
            throw GatewayError(cannot: "write", path, error)
        }
    }

    private static func make(
        _ name: String, in directory: borrowing OpenFile, with bytes: [UInt8], _ access: FileAccess
    ) throws(SystemError) {
        let file = try OpenFile(name, in: directory, O_CREAT | O_EXCL | O_WRONLY, mode: 0o600)
        try file.set(access)
        try file.append(bytes)
        try file.synchronize()
    }

    /// Removes the file if there is one.
    func remove() throws(GatewayError) {
        do throws(SystemError) {
            try folder.open { directory, _ throws(SystemError) in
                guard unlinkat(directory.descriptor, name, 0) == 0 else { throw SystemError() }
            }
        } catch {
            if error.code != ENOENT { throw GatewayError(cannot: "remove", path, error) }
        }
    }
}
