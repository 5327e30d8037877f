import Foundation

extension DataDirectory {
    /// Runs the closure as the owner of this directory, if this process is root and nobody but root can have put the
    /// directory where it is. Root then needs no more trust in the owner than the owner itself has: links in the
    /// directory lead no further than they lead its owner.
    ///
    /// In all other cases the closure runs as this process's user. Other threads must not open files meanwhile: on
    /// Linux all of them change the user.
    package func asOwner<Answer: ~Copyable>(_ body: (DataDirectory) throws -> Answer) rethrows -> Answer {
        let group = getegid()
        guard becomeOwner() else { return try body(self) }
        defer {
            seteuid(0)
            setegid(group)
        }
        return try body(self)
    }

    /// Becomes the owner of this directory under the same conditions, for the rest of the process.
    ///
    /// - Returns: `false` if this process stays what it is.
    @discardableResult
    package func becomeOwner() -> Bool {
        let group = getegid()
        guard geteuid() == 0, path.hasPrefix("/"), !PathOwnership.isDoubtfulPlace(path),
            let status = FileStatus(following: path), status.kind == .directory, status.owner != 0,
            setegid(status.group) == 0
        else { return false }
        guard seteuid(status.owner) == 0 else {
            setegid(group)
            return false
        }
        return true
    }
}
