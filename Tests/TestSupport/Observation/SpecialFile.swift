public import Foundation

/// Makes files that are no regular ones, and other users' files.
public enum SpecialFile {
    /// A user that no test runs as.
    public static let stranger: uid_t = 65_534

    /// A Boolean value indicating whether this process may give files away.
    public static var canChangeOwners: Bool { geteuid() == 0 }

    /// Gives a file to another user.
    public static func giveAway(_ path: String, to user: uid_t = stranger) throws {
        try check(lchown(path, user, user))
    }

    public static func makeFIFO(_ path: String) throws { try check(mkfifo(path, 0o600)) }

    /// Makes a node of the null device; `nil` where this is not allowed.
    public static func makeDevice(_ path: String) -> Bool { mknod(path, S_IFCHR | 0o600, 1 << 8 | 3) == 0 }

    /// Returns the kind of what is at a path, the bits of `S_IFMT`; a link's own.
    public static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private static func check(_ result: Int32) throws {
        guard result == 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }
}
