import Foundation

/// A directory, reached from a path that the operator gave, which may contain links, through names below it, which
/// may not.
///
/// A directory's owner can create a link in it at any time, so that another user's process writes elsewhere.
/// Therefore no folder below ``base`` is reached by its path: each folder is opened relative to the one above it.
struct Folder: Sendable {
    /// The path of the directory that the other folders are in.
    let base: String
    private let names: [String]
    /// `true` if all files in the folder must belong to the owners of ``base``.
    private let isOwned: Bool

    var path: String { ([base] + names).joined(separator: "/") }

    /// Refers to a directory.
    ///
    /// - Parameter isOwned: `false` for the folder of a file that the operator names, which may have any owner.
    init(_ path: String, isOwned: Bool = true) {
        self.init(base: path, names: [], isOwned: isOwned)
    }

    private init(base: String, names: [String], isOwned: Bool) {
        self.base = base
        self.names = names
        self.isOwned = isOwned
    }

    func folder(_ name: String) -> Folder { Folder(base: base, names: names + [name], isOwned: isOwned) }

    /// Opens the folder and runs `body` with it and the permitted owners of its files; `nil` permits every owner.
    func open<Output: ~Copyable>(
        _ body: (borrowing OpenFile, FileOwners?) throws(SystemError) -> Output
    ) throws(SystemError) -> Output {
        var directory = try OpenFile(base, O_RDONLY | O_DIRECTORY)
        let owners = isOwned ? try FileOwners(of: directory) : nil
        for name in names { directory = try OpenFile(name, in: directory, O_RDONLY | O_DIRECTORY, owners: owners) }
        return try body(directory, owners)
    }

    /// Creates a folder in this one if it does not exist.
    func make(_ name: String, _ access: FileAccess) throws(SystemError) {
        try open { directory, owners throws(SystemError) in
            let isNew = mkdirat(directory.descriptor, name, access.mode) == 0
            guard isNew || errno == EEXIST else { throw SystemError() }
            let folder = try OpenFile(name, in: directory, O_RDONLY | O_DIRECTORY, owners: owners)
            if isNew {
                try folder.set(access)
                try folder.synchronizeEntries()
            }
            // The folder must survive a crash, as its files do. This includes a folder that another task is just
            // creating.
            try directory.synchronizeEntries()
        }
    }

    /// Returns the result of `body` for the open folder; empty if the folder does not exist.
    func list<Element>(
        _ body: (borrowing OpenFile) throws(SystemError) -> [Element]
    ) throws(SystemError) -> [Element] {
        do throws(SystemError) {
            return try open { directory, _ throws(SystemError) in try body(directory) }
        } catch {
            guard error.code == ENOENT else { throw error }
            return []
        }
    }

    /// Removes all contents of this folder but one entry.
    func removeContents(except kept: String) throws(SystemError) {
        try open { directory, _ throws(SystemError) in
            for name in try directory.names() where name != kept { try directory.remove(name) }
            try directory.synchronizeEntries()
        }
    }

    /// Removes a folder in this one, with all of its contents. It is gone from the disk when this method returns.
    func remove(_ name: String) throws(SystemError) {
        do throws(SystemError) {
            try folder(name).open { folder, _ throws(SystemError) in try folder.removeContents() }
            try open { directory, _ throws(SystemError) in try directory.removeFolder(name) }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }
}
