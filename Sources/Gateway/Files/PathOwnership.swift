internal import Foundation

/// Tells whether what stands at a path is the work of this user, or of root, and of nobody else.
enum PathOwnership {
    /// Returns why a directory's contents may be another user's work; `nil` if they are not.
    ///
    /// It must belong to this user or to root, and nobody else may write to it. The same goes for the directories that it
    /// is in, where others could put another one in its place; but there others may write when the sticky bit keeps them
    /// from that, as in `/tmp`, and so may the user's own group, which on many systems has no other member.
    static func doubt(about path: String) -> String? {
        if let doubt = doubtfulLink(on: path) { return doubt }
        guard let resolved = resolved(path) else { return "it cannot be reached" }
        for prefix in prefixes(of: resolved).dropLast() {
            guard let status = FileStatus(of: prefix) else { return "\(prefix) cannot be reached" }
            if let doubt = status.doubt(asParent: prefix) { return doubt }
        }
        guard let status = FileStatus(of: resolved) else { return "it cannot be reached" }
        return status.doubt(about: path)
    }

    /// Returns which symbolic link on the way to a path is another user's; `nil` if there is none.
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

    /// `/`, `/srv`, `/srv/data`.
    private static func prefixes(of path: String) -> [String] {
        var prefixes = ["/"]
        for name in path.split(separator: "/") where name != "." {
            prefixes.append((prefixes.last == "/" ? "/" : (prefixes.last ?? "") + "/") + name)
        }
        return prefixes
    }
}

extension FileStatus {
    /// A Boolean value indicating whether it belongs to this user or to root.
    fileprivate var isTrusted: Bool { owner == 0 || owner == geteuid() }

    /// Returns why its contents may be another user's work; `nil` if they are not.
    func doubt(about path: String) -> String? {
        guard isTrusted else { return "\(path) belongs to user \(owner)" }
        return mode & 0o022 == 0 ? nil : "other users may write to \(path) (mode \(modeText))"
    }

    /// Returns why another user may have put something else in the place of what is in this directory; `nil` if they
    /// cannot.
    fileprivate func doubt(asParent path: String) -> String? {
        guard isTrusted else { return "it lies in \(path), which belongs to user \(owner)" }
        let isOpen = mode & 0o002 != 0 || mode & 0o020 != 0 && group != getegid()
        guard isOpen, mode & mode_t(S_ISVTX) == 0 else { return nil }
        return "it lies in \(path), to which other users may write (mode \(modeText))"
    }
}
