import Foundation

extension DataDirectory {
    /// Runs the closure as the owner of this directory, if this process is root and nobody but root can have put the
    /// directory where it is. Root then needs no more trust in the owner than the owner itself has: links in the
    /// directory lead no further than they lead its owner.
    ///
    /// In all other cases the closure runs as this process's user. Other threads must not open files meanwhile: on
    /// Linux all of them change the user.
    package func asOwner<Answer: ~Copyable>(_ body: (DataDirectory) throws -> Answer) rethrows -> Answer {
        let groups = ProcessGroups()
        guard becomeOwner() else { return try body(self) }
        defer {
            seteuid(0)
            groups.restore()
        }
        return try body(self)
    }

    /// Becomes the owner of this directory under the same conditions, with the owner's groups, for the rest of the
    /// process.
    ///
    /// - Returns: `false` if this process stays what it is.
    @discardableResult
    package func becomeOwner() -> Bool {
        guard geteuid() == 0, path.hasPrefix("/"), !PathOwnership.isDoubtfulPlace(path),
            let status = FileStatus(following: path), status.kind == .directory, status.owner != 0
        else { return false }
        let groups = ProcessGroups()
        guard ProcessGroups.take(of: status), seteuid(status.owner) == 0 else {
            groups.restore()
            return false
        }
        return true
    }
}

/// The effective group and the supplementary groups of this process.
private struct ProcessGroups {
    private let effective: gid_t
    private let supplementary: [gid_t]

    init() {
        effective = getegid()
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        supplementary = Array(groups.prefix(max(0, Int(count))))
    }

    /// Takes the group of a directory, and the supplementary groups of its owner in place of root's, which may open
    /// files that the owner cannot.
    ///
    /// - Returns: `false` if this process may not.
    static func take(of directory: FileStatus) -> Bool {
        guard setegid(directory.group) == 0 else { return false }
        guard let user = getpwuid(directory.owner) else { return setgroups(1, [directory.group]) == 0 }
        return initgroups(user.pointee.pw_name, numericCast(directory.group)) == 0
    }

    /// Takes these groups again. Only root can.
    func restore() {
        _ = setgroups(numericCast(supplementary.count), supplementary)
        setegid(effective)
    }
}
