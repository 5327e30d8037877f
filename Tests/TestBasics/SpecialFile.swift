import Foundation

/// A maker of special files and of files that belong to other users.
package enum SpecialFile {
    /// A user as which no test runs.
    package static let stranger: UInt32 = 65_534

    /// `true` if this process may change the owner of files.
    package static var canChangeOwners: Bool { geteuid() == 0 }

    /// Gives a file to another user.
    package static func giveAway(_ path: String, to user: UInt32 = stranger) throws {
        try check(lchown(path, user, user))
    }

    /// Creates a FIFO at the path.
    package static func makeFIFO(_ path: String) throws { try check(mkfifo(path, 0o600)) }

    /// Creates a node of the null device. Returns `false` where this is not allowed.
    package static func makeDevice(_ path: String) -> Bool { mknod(path, S_IFCHR | 0o600, 1 << 8 | 3) == 0 }

    private static func check(_ result: Int32) throws {
        guard result == 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }
}
