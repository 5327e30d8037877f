import Foundation
import Synchronization

/// The user whom a data directory belongs to, as whom root works in it.
package struct DirectoryOwner: Sendable {
    static let advice = "If it is the gateway that you want, name it with --server."

    /// The directory's path.
    private let path: String

    init(of path: String) { self.path = path }

    /// Throws if another user may have written the contents of the directory.
    package func check() throws(GatewayError) {
        guard let doubt = PathOwnership.doubt(about: path) else { return }
        throw GatewayError("another user may have written the files in \(path): \(doubt). \(Self.advice)")
    }

    /// Runs the closure as the owner of the directory, if this process is root and nobody but root can have put the
    /// directory where it is. Root then needs no more trust in the owner than the owner itself has: links in the
    /// directory lead no further than they lead its owner.
    ///
    /// In all other cases the closure runs as this process's user. Other threads must not open files meanwhile: on
    /// Linux all of them change the user.
    package func run<Answer: ~Copyable>(_ body: () throws -> Answer) rethrows -> Answer {
        let groups = ProcessGroups()
        guard become() else { return try body() }
        defer {
            seteuid(0)
            groups.take()
        }
        return try body()
    }

    /// Becomes the owner of the directory under the same conditions, with the owner's groups, for the rest of the
    /// process.
    ///
    /// - Parameter groups: Further groups that the owner has as a service.
    /// - Returns: `false` if this process stays what it is.
    package func become(with groups: ServiceGroups = ServiceGroups()) -> Bool {
        guard geteuid() == 0, path.hasPrefix("/"), !PathOwnership.isDoubtfulPlace(path),
            let status = FileStatus(following: path), status.kind == .directory, status.owner != 0
        else { return false }
        let own = ProcessGroups()
        guard ProcessGroups.take(of: .init(status, groups)), seteuid(status.owner) == 0 else {
            own.take()
            return false
        }
        return true
    }
}

/// The effective group and the supplementary groups of this process.
private struct ProcessGroups: Sendable {
    /// A directory's owner, the group of the directory, and the owner's groups as a service.
    struct Owner: Hashable {
        let user: uid_t
        let directoryGroup: gid_t
        let service: ServiceGroups

        init(_ directory: FileStatus, _ service: ServiceGroups) {
            user = directory.owner
            directoryGroup = directory.group
            self.service = service
        }
    }

    /// The groups of the owners so far. The machine may have to ask a server for an account and for each of its groups.
    private static let known = Mutex<[Owner: ProcessGroups]>([:])

    private let effective: gid_t
    private let supplementary: [gid_t]

    init() {
        effective = getegid()
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        supplementary = Array(groups.prefix(max(0, Int(count))))
    }

    /// Takes the groups of a directory's owner in place of root's, which may open files that the owner cannot.
    ///
    /// - Returns: `false` if this process may not.
    static func take(of owner: Owner) -> Bool {
        if let groups = known.withLock({ $0[owner] }) { return groups.take() }
        guard lookUp(owner) else { return false }
        let groups = ProcessGroups()
        known.withLock { $0[owner] = groups }
        return true
    }

    /// Takes the groups of the owner's account. An owner without an account, such as the user of a container, has the
    /// directory's group.
    private static func lookUp(_ owner: Owner) -> Bool {
        let account = getpwuid(owner.user)
        let group = owner.service.primary ?? account?.pointee.pw_gid ?? owner.directoryGroup
        guard setegid(group) == 0 else { return false }
        guard let account else { return setSupplementary([group] + owner.service.supplementary) }
        // On macOS the number is signed, and some groups have negative ones.
        guard initgroups(account.pointee.pw_name, .init(truncatingIfNeeded: group)) == 0 else { return false }
        return setSupplementary(ProcessGroups().supplementary + owner.service.supplementary)
    }

    private static func setSupplementary(_ groups: [gid_t]) -> Bool {
        setgroups(numericCast(groups.count), groups) == 0
    }

    /// Takes these groups. Only root can.
    @discardableResult
    func take() -> Bool {
        let isTaken = Self.setSupplementary(supplementary)
        return setegid(effective) == 0 && isTaken
    }
}
