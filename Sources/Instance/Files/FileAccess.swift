import Foundation

/// The owner and mode of a file.
package struct FileAccess: Sendable {
    struct Owner: Hashable, Sendable {
        let user: uid_t
        let group: gid_t
    }

    /// The owner; `nil` for the user who writes the file.
    let owner: Owner?
    let mode: mode_t

    /// Access for the user who writes the file only, mode 0600.
    package static let own = own(0o600)

    /// Returns access with a mode for the user who writes the file.
    static func own(_ mode: mode_t) -> FileAccess { FileAccess(owner: nil, mode: mode) }

    private init(owner: Owner?, mode: mode_t) {
        self.owner = owner
        self.mode = mode
    }

    init(_ status: FileStatus) {
        self.init(owner: Owner(user: status.owner, group: status.group), mode: status.mode)
    }

    /// Reads the access of the file at a path, following links; `nil` if there is no file.
    package init?(of path: String) {
        guard let status = FileStatus(following: path) else { return nil }
        self.init(status)
    }

    /// Reads the access of the regular file at a path, following links; `nil` if there is none.
    package init?(ofRegularFile path: String) {
        guard let status = FileStatus(following: path), status.kind == .regular else { return nil }
        self.init(status)
    }

    /// Returns the access for new files in a directory. Root gives the files that it writes into another user's
    /// directory to that user, who could not read them otherwise.
    init(in directory: String, mode: mode_t) {
        let isGiven = geteuid() == 0
        self.init(owner: isGiven ? FileAccess(of: directory)?.owner : nil, mode: mode)
    }

    /// The mode in octal, for example `0644`, if other users than the owner may read or write; `nil` otherwise.
    package var openMode: String? { mode & 0o077 == 0 ? nil : "0" + String(mode, radix: 8) }
}

/// The users whose files in a directory are accepted: its owner, root, and this process's user. A file of another
/// user does not belong to the data that the directory's owner keeps there.
struct FileOwners: Sendable {
    private let users: Set<uid_t>

    init(of directory: borrowing OpenFile) throws(SystemError) {
        users = [try directory.status().owner, 0, geteuid()]
    }

    func check(_ status: FileStatus) throws(SystemError) {
        guard users.contains(status.owner) else {
            throw SystemError(code: EPERM, "it belongs to user \(status.owner), not to the directory's owner")
        }
    }
}
