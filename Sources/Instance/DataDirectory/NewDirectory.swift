import Foundation

/// A data directory that a start of a gateway has made. If the gateway does not come to serve, it is removed, so that a
/// mistake in the settings leaves nothing behind, and the next start shows its new admin token.
package struct NewDirectory: Sendable {
    private let folder: Folder

    /// Creates the data directory of a gateway.
    ///
    /// - Returns: The directory, and the value that can remove it; `nil` if the directory was there before.
    package static func creating(_ path: String) throws(GatewayError) -> (DataDirectory, NewDirectory?) {
        let isNew = access(path, F_OK) != 0
        let directory = try DataDirectory(creating: path)
        return (directory, isNew ? NewDirectory(folder: Folder(directory.path)) : nil)
    }

    /// Removes the directory, if it has only files that the start of a gateway has made. The process must have the
    /// directory's lock, and nothing may have been accepted.
    package func remove() {
        do throws(SystemError) {
            try folder.open { directory, _ throws(SystemError) in
                guard try directory.names().allSatisfy(Self.isOfStart), try !hasCertificate else { return }
                try folder.remove(DataDirectory.certificatesName)
                // The lock's file goes last: until then no other gateway can begin to use the directory.
                for name in try directory.names() where name != DirectoryLock.name { try directory.removeFile(name) }
                try directory.removeFile(DirectoryLock.name)
            }
            // It fails if another process has made a file in the meantime, and the directory stays.
            rmdir(folder.path)
        } catch {
            // The directory stays, as after a crash. The next start uses it.
        }
    }

    private static func isOfStart(_ name: String) -> Bool {
        (ownNames + SharedSecrets.names).contains(name)
            || ["-wal", "-shm", "-journal", ".lock"].contains { name == DirectoryDatabase.name + $0 }
    }

    private static let ownNames = [
        DirectoryLock.name, DataDirectory.setupLockName, DirectoryDatabase.name, MemberRecord.fileName,
        DataDirectory.certificatesName,
    ]

    /// `true` if a certificate was obtained: another one would count against the authority's limits. A start makes the
    /// account's key at once, and nothing is lost with it.
    private var hasCertificate: Bool {
        get throws(SystemError) {
            let certificates = folder.folder(DataDirectory.certificatesName)
            for authority in try Self.names(in: certificates) {
                let names = try Self.names(in: certificates.folder(authority))
                if names.contains(where: { $0 != DataDirectory.accountKeyName }) { return true }
            }
            return false
        }
    }

    private static func names(in folder: Folder) throws(SystemError) -> [String] {
        try folder.list { directory throws(SystemError) in try directory.names() }
    }
}
