import DurableFiles
import Foundation

/// A folder that appears complete or not at all: it has a temporary name until it is finished, and disappears with its
/// contents at the end of its scope if it never is.
struct NewFolder: ~Copyable, Sendable {
    /// The path for good.
    let path: String
    /// The path until the folder is finished.
    let temporaryPath: String
    private var isFinished: Bool

    /// Creates a folder, which must not exist. Only its owner can read it.
    init(_ name: String, in folder: String) throws(ExportError) {
        guard !["", ".", ".."].contains(name), Set(name.utf8).isDisjoint(with: [0, UInt8(ascii: "/")]) else {
            throw ExportError(.fileSystem, folder, "cannot contain a folder “\(name)”. Choose another name.")
        }
        let path = "\(folder)/\(name)"
        guard access(path, F_OK) != 0 else {
            throw ExportError(.fileSystem, path, "exists already. Remove it, or choose another name.")
        }
        let temporaryPath = "\(path).partial"
        guard mkdir(temporaryPath, 0o700) == 0 else { throw ExportError(cannot: "be created", temporaryPath) }
        self.path = path
        self.temporaryPath = temporaryPath
        isFinished = false
    }

    deinit {
        if !isFinished { try? FileManager.default.removeItem(atPath: temporaryPath) }
    }

    /// Creates folders below this one, the second in the first and so on.
    func makeFolders(_ names: [String]) throws(ExportError) {
        var path = temporaryPath
        for name in names {
            path += "/\(name)"
            guard mkdir(path, 0o700) == 0 else { throw ExportError(cannot: "be created", path) }
        }
    }

    /// Gives the folder its name, once its contents are on the disk.
    ///
    /// - Parameter names: the folders below this one, the second in the first and so on.
    mutating func finish(_ names: [String]) throws(ExportError) {
        do throws(FileError) {
            for count in 0...names.count {
                let folder = ([temporaryPath] + names.prefix(count)).joined(separator: "/")
                try DirectoryEntries.synchronize(folder: folder)
            }
            try DirectoryEntries.rename(temporaryPath, to: path)
        } catch {
            throw ExportError(cannot: "be renamed", temporaryPath, error.code)
        }
        isFinished = true
    }
}
