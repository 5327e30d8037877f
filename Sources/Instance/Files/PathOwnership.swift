import Foundation

/// A check that only this user and root can have created the files at a path.
enum PathOwnership {
    /// Returns the reason that another user may have written a directory's contents; `nil` if no other user can have.
    ///
    /// The directory must belong to this user or to root, and no other user may have write access to it. The same
    /// applies to its parent directories, where another user could replace it, with two exceptions: others may have
    /// write access if the sticky bit prevents that, as in `/tmp`, and so may the user's own group, which on many
    /// systems has no other member.
    static func doubt(about path: String) -> String? {
        if let doubt = doubtfulLink(on: path) { return doubt }
        guard let resolved = resolved(path) else { return "it cannot be reached" }
        if let doubt = doubtfulParent(of: resolved) { return doubt }
        guard let status = FileStatus(of: resolved) else { return "it cannot be reached" }
        return status.doubt(about: path)
    }

    /// Returns `true` if another user may have put something else in the directory's place.
    static func isDoubtfulPlace(_ path: String) -> Bool {
        guard doubtfulLink(on: path) == nil, let resolved = resolved(path) else { return true }
        return doubtfulParent(of: resolved) != nil
    }

    private static func doubtfulParent(of resolved: String) -> String? {
        for prefix in prefixes(of: resolved).dropLast() {
            guard let status = FileStatus(of: prefix) else { return "\(prefix) cannot be reached" }
            if let doubt = status.doubt(asParent: prefix) { return doubt }
        }
        return nil
    }

    /// Returns a description of the first symbolic link on the path that belongs to another user; `nil` if there is
    /// none.
    static func doubtfulLink(on path: String) -> String? {
        for prefix in prefixes(of: absolute(path)) {
            guard let status = FileStatus(of: prefix), status.kind == .link, !status.isTrusted else { continue }
            return "\(prefix) is a symbolic link of user \(status.owner)"
        }
        return nil
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the path and its parents, for example `/`, `/srv`, `/srv/data`.
    private static func prefixes(of path: String) -> [String] {
        var prefixes = ["/"]
        for name in path.split(separator: "/") where name != "." {
            prefixes.append((prefixes.last == "/" ? "/" : (prefixes.last ?? "") + "/") + name)
        }
        return prefixes
    }
}

extension FileStatus {
    /// `true` if the file belongs to this user or to root.
    fileprivate var isTrusted: Bool { owner == 0 || owner == geteuid() }

    /// Returns the reason that another user may have written the contents; `nil` if no other user can have.
    func doubt(about path: String) -> String? {
        guard isTrusted else { return "\(path) belongs to user \(owner)" }
        return mode & 0o022 == 0 ? nil : "other users can write to \(path) (mode \(modeText))"
    }

    /// Returns the reason that another user may have replaced an entry of this directory; `nil` if no other user can
    /// have.
    fileprivate func doubt(asParent path: String) -> String? {
        guard isTrusted else { return "it is in \(path), which belongs to user \(owner)" }
        let isOpen = mode & 0o002 != 0 || mode & 0o020 != 0 && group != getegid()
        guard isOpen, mode & mode_t(S_ISVTX) == 0 else { return nil }
        return "it is in \(path), to which other users can write (mode \(modeText))"
    }
}
