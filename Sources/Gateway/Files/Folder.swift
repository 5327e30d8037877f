internal import Foundation

/// A directory, and the way to it: a path that the operator gave, which may lead through links, and names below that, which
/// may not.
///
/// The owner of a directory can put a link there at any time, to have another user's process write elsewhere. So
/// nothing below ``base`` is reached by a path: each folder is opened in the one above it.
struct Folder: Sendable {
    /// The path of the directory that the others are in.
    let base: String
    private let names: [String]
    /// A Boolean value indicating whether all in it has to be of the owners of ``base``.
    private let isOwned: Bool

    /// The last part of the way.
    var name: String { names.last ?? base }
    var path: String { ([base] + names).joined(separator: "/") }

    /// - Parameter isOwned: `false` for a folder of which one file is named by the operator, whoever owns that.
    init(_ path: String, isOwned: Bool = true) {
        self.init(base: path, names: [], isOwned: isOwned)
    }

    private init(base: String, names: [String], isOwned: Bool) {
        self.base = base
        self.names = names
        self.isOwned = isOwned
    }

    func folder(_ name: String) -> Folder { Folder(base: base, names: names + [name], isOwned: isOwned) }

    /// Opens it, and runs the body with it and the owners that a file in it may have; `nil` for any.
    func open<Output: ~Copyable>(
        _ body: (borrowing OpenFile, FileOwners?) throws(SystemError) -> Output
    ) throws(SystemError) -> Output {
        var directory = try OpenFile(base, O_RDONLY | O_DIRECTORY)
        let owners = isOwned ? try FileOwners(of: directory) : nil
        for name in names { directory = try OpenFile(name, in: directory, O_RDONLY | O_DIRECTORY, owners: owners) }
        return try body(directory, owners)
    }

    /// Makes a folder in this one where there is none.
    func make(_ name: String, _ access: FileAccess) throws(SystemError) {
        try open { directory, owners throws(SystemError) in
            let isNew = mkdirat(directory.descriptor, name, access.mode) == 0
            guard isNew || errno == EEXIST else { throw SystemError() }
            let folder = try OpenFile(name, in: directory, O_RDONLY | O_DIRECTORY, owners: owners)
            if isNew { try folder.set(access) }
            // The folder must survive a crash, as its files do: also one that another task is making just now.
            try? directory.synchronize()
        }
    }

    /// Returns what the body finds in it; nothing where there is none.
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

    /// Removes a folder in this one, with all that is in it.
    func remove(_ name: String) throws(SystemError) {
        do throws(SystemError) {
            try folder(name).open { folder, _ throws(SystemError) in try folder.removeContents() }
            try open { directory, _ throws(SystemError) in
                guard unlinkat(directory.descriptor, name, AT_REMOVEDIR) == 0 else { throw SystemError() }
            }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }
}
