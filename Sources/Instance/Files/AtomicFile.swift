package import Foundation

/// A regular file that is replaced atomically: a reader sees either the old or the new contents, even after a crash.
/// Users without permission can read neither at any time.
package struct AtomicFile: Sendable {
    let folder: Folder
    let name: String

    /// The file's path.
    package var path: String { "\(folder.path)/\(name)" }

    /// Refers to a file that the operator names. It may have any owner.
    ///
    /// - Parameter path: The path of the file itself: a symbolic link is refused.
    package init(_ path: String) {
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

    /// Returns the contents; `nil` if the file does not exist. A file that exists but cannot be read is an error.
    package func contents() throws(GatewayError) -> [UInt8]? {
        try read { file throws(SystemError) in try file.contents() }
    }

    /// Returns the contents and the time of their last change; `nil` if the file does not exist.
    package func contentsWithTime() throws(GatewayError) -> (contents: [UInt8], modified: Date)? {
        try read { file throws(SystemError) in (try file.contents(), try file.status().modified) }
    }

    /// Returns the owner and mode; `nil` if the file does not exist.
    package func access() throws(GatewayError) -> FileAccess? {
        try read { file throws(SystemError) in FileAccess(try file.status()) }
    }

    /// Runs `work` with the open file and returns its result; `nil` if the file does not exist.
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

    /// Writes a temporary file beside this one and renames it. The new contents are on the disk when this method
    /// returns.
    package func replace(with bytes: [UInt8], access: FileAccess) throws(GatewayError) {
        let temporary = "\(name).new-\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        do throws(SystemError) {
            try folder.open { directory, _ throws(SystemError) in
                do throws(SystemError) {
                    try Self.make(temporary, in: directory, with: bytes, access)
                    try directory.rename(temporary, to: name)
                } catch {
                    unlinkat(directory.descriptor, temporary, 0)
                    throw error
                }
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

    /// Renames the file in its folder and sets its access. The new name is on the disk when this method returns.
    func rename(to newName: String, access: FileAccess) throws(GatewayError) {
        do throws(SystemError) {
            try folder.open { directory, owners throws(SystemError) in
                try OpenFile(name, in: directory, O_RDONLY, owners: owners).set(access)
                try directory.rename(name, to: newName)
            }
        } catch {
            throw GatewayError(cannot: "rename", path, error)
        }
    }

    /// Removes the file if it exists. It is gone from the disk when this method returns.
    package func remove() throws(GatewayError) {
        do throws(SystemError) {
            try folder.open { directory, _ throws(SystemError) in try directory.removeFile(name) }
        } catch {
            if error.code != ENOENT { throw GatewayError(cannot: "remove", path, error) }
        }
    }
}

extension AtomicFile {
    /// Refers to the file that a path leads to through symbolic links, which stay in place.
    ///
    /// - Throws: ``GatewayError`` if a link leads to no file, or if its owner is neither root, nor this process's
    ///   user, nor the file's owner. Such a user would otherwise choose the file that is written.
    package init(resolving path: String) throws(GatewayError) {
        guard let link = FileStatus(of: path), link.kind == .link else {
            self.init(path)
            return
        }
        guard let resolved = realpath(path, nil) else {
            throw GatewayError(
                "\(path) is a symbolic link that leads to no file. Create the file that it should lead to, "
                    + "or remove the link.")
        }
        defer { free(resolved) }
        self.init(String(cString: resolved))
        let owner = FileStatus(of: self.path)?.owner
        guard [0, geteuid(), owner].contains(link.owner) else {
            throw GatewayError(
                "\(path) is a symbolic link of user \(link.owner), who does not own the file that it "
                    + "leads to. Name the file itself.")
        }
    }
}
