internal import Foundation

/// The users whose files in a directory are taken: its owner, root, and this process's user. A file of somebody else is not
/// part of what the directory's owner keeps there.
struct FileOwners: Sendable {
    private let users: Set<uid_t>

    init(of directory: borrowing OpenFile) throws(SystemError) {
        users = [try directory.status().owner, 0, geteuid()]
    }

    func check(_ status: FileStatus) throws(SystemError) {
        guard users.contains(status.owner) else {
            throw SystemError(code: EPERM, "it belongs to user \(status.owner), and not to the directory's owner")
        }
    }
}
