#if canImport(Darwin)
    package import Darwin
#elseif canImport(Musl)
    package import Musl
#else
    package import Glibc
#endif

/// An error of a system call.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    /// Reads `errno`. Call it before any other function, which may change `errno`.
    init() { code = errno }

    init(code: Int32) { self.code = code }

    package var description: String { String(cString: strerror(code)) }
}

/// Changes of the entries of directories. Each is on the disk when its function returns: a power cut after that does
/// not undo it.
///
/// Flushing a file (fsync(2)) keeps its contents and not its name, and a removed name comes back if only the file
/// system's memory knew of the removal. Therefore each change also flushes the directory. Every answer, and every exit
/// code, that says that a file was created, renamed or removed relies on these functions.
package enum DirectoryEntries {
    /// Waits until all entries of an open directory are on the disk.
    package static func synchronize(_ directory: Int32) throws(FileError) {
        guard fsync(directory) != 0 else { return }
        // Some file systems of networks cannot flush a directory, and keep its entries in their own way.
        guard [EINVAL, ENOTSUP].contains(errno) else { throw FileError() }
    }

    /// Renames an entry of an open directory, and replaces an entry with the new name.
    package static func rename(_ name: String, to newName: String, in directory: Int32) throws(FileError) {
        guard renameat(directory, name, directory, newName) == 0 else { throw FileError() }
        try synchronize(directory)
    }

    /// Removes a file from an open directory.
    package static func remove(_ name: String, in directory: Int32) throws(FileError) {
        guard unlinkat(directory, name, 0) == 0 else { throw FileError() }
        try synchronize(directory)
    }

    /// Removes an empty folder from an open directory.
    package static func removeFolder(_ name: String, in directory: Int32) throws(FileError) {
        guard unlinkat(directory, name, AT_REMOVEDIR) == 0 else { throw FileError() }
        try synchronize(directory)
    }
}

/// The same changes by path.
extension DirectoryEntries {
    /// Waits until the entry of a file in its directory is on the disk.
    package static func synchronizeEntry(of path: String) throws(FileError) {
        try synchronize(folder: directory(of: path))
    }

    /// Waits until all entries of a folder are on the disk.
    package static func synchronize(folder path: String) throws(FileError) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            guard errno == EACCES else { throw FileError() }
            // A directory that this user can write to and not read cannot be flushed by itself.
            return sync()
        }
        defer { close(directory) }
        try synchronize(directory)
    }

    /// Waits until a file, with its entry in its directory, is on the disk.
    package static func synchronize(file path: String) throws(FileError) {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw FileError() }
        defer { close(file) }
        guard fsync(file) == 0 else { throw FileError() }
        try synchronizeEntry(of: path)
    }

    /// Renames a file to another name in its directory, and replaces a file with that name.
    package static func rename(_ path: String, to newPath: String) throws(FileError) {
        #if canImport(Darwin)
            let result = Darwin.rename(path, newPath)
        #elseif canImport(Musl)
            let result = Musl.rename(path, newPath)
        #else
            let result = Glibc.rename(path, newPath)
        #endif
        guard result == 0 else { throw FileError() }
        try synchronizeEntry(of: newPath)
    }

    /// Removes a file. A power cut does not bring it back.
    package static func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 else { throw FileError() }
        try synchronizeEntry(of: path)
    }

    /// Creates a folder, with those of its parents that are missing. An existing folder keeps its mode.
    package static func makeFolders(_ path: String, mode: mode_t) throws(FileError) {
        if mkdir(path, mode) != 0 {
            switch errno {
            case EEXIST: guard isDirectory(path) else { throw FileError(code: ENOTDIR) }
            case ENOENT where path != directory(of: path):
                try makeFolders(directory(of: path), mode: mode)
                guard mkdir(path, mode) == 0 || errno == EEXIST else { throw FileError() }
            case let code:
                // A root that cannot be written to is there all the same.
                guard isDirectory(path) else { throw FileError(code: code) }
            }
        }
        // Also if the folder exists: an earlier process may have been killed before it flushed the entry.
        try synchronizeEntry(of: path)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func directory(of path: String) -> String {
        let name = path.trimmingSlashes
        guard let slash = name.lastIndex(of: "/") else { return name.isEmpty ? "/" : "." }
        let parent = name[..<slash].trimmingSlashes
        return parent.isEmpty ? "/" : String(parent)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text without slashes at its end.
    fileprivate var trimmingSlashes: Substring {
        var text = self[...]
        while text.last == "/" { text.removeLast() }
        return text
    }
}
