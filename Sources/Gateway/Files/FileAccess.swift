internal import Foundation

/// The owner of a file, and what they and others may do with it.
public struct FileAccess: Sendable {
    struct Owner: Hashable, Sendable {
        let user: uid_t
        let group: gid_t
    }

    /// `nil`: whoever writes it.
    let owner: Owner?
    let mode: mode_t

    /// For whoever writes it, and nobody else.
    public static let own = FileAccess(owner: nil, mode: 0o600)

    private init(owner: Owner?, mode: mode_t) {
        self.owner = owner
        self.mode = mode
    }

    init(_ status: FileStatus) {
        self.init(owner: Owner(user: status.owner, group: status.group), mode: status.mode)
    }

    /// Reads the access of the file at a path; `nil` if there is none.
    public init?(of path: String) {
        guard let status = FileStatus(following: path) else { return nil }
        self.init(status)
    }

    /// That of what is made in a directory: what root writes into another user's is that user's, who could not read it
    /// otherwise.
    init(in directory: String, mode: mode_t) {
        let isGiven = geteuid() == 0
        self.init(owner: isGiven ? FileAccess(of: directory)?.owner : nil, mode: mode)
    }

    /// The mode as people write it, if other users than the owner may read or write: `0644`.
    public var openMode: String? { mode & 0o077 == 0 ? nil : "0" + String(mode, radix: 8) }
}
