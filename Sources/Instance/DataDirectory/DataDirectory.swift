import DurableFiles
import Foundation

/// The directory that holds a gateway's state: the database, the secrets, and the lock of the process that uses it.
///
/// Each of its parts is a value of its own, which keeps the names and the form of its files for itself.
package struct DataDirectory: Sendable {
    static let setupLockName = "setup.lock"
    /// The name of the folder with the certificates that the gateway obtains: in it a folder for each authority.
    package static let certificatesName = "acme"
    /// The name of the file with the key of the account at an authority, in its folder.
    package static let accountKeyName = "account.key"

    /// The directory's path.
    package let path: String

    /// Creates the directory, readable by its owner only, if it does not exist. An existing directory keeps its mode:
    /// other users may be meant to use it. The directory itself is on the disk when this returns: what is flushed in it
    /// later would be lost with it.
    ///
    /// - Throws: `GatewayError` if the directory cannot be created or written to.
    package init(creating path: String) throws(GatewayError) {
        self.path = path
        try Self.checkLinks(to: path)
        do {
            try DirectoryEntries.makeFolders(path, mode: 0o700)
        } catch {
            throw GatewayError(
                "cannot create the data directory \(path). Set data.directory to a folder that this user can write to.")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw GatewayError(
                "cannot write to the data directory \(path). Give it to this user, or set data.directory.")
        }
    }

    /// Refers to a directory that a gateway has created, for programs that talk to the gateway.
    package init(existing path: String) { self.path = path }

    /// Throws if the path contains another user's link and this process is root. Such a link could lead root
    /// anywhere.
    private static func checkLinks(to path: String) throws(GatewayError) {
        guard geteuid() == 0, let doubt = PathOwnership.doubtfulLink(on: path) else { return }
        throw GatewayError("\(doubt), and root does not follow it. Name the directory that it leads to.")
    }

    private var folder: Folder { Folder(path) }

    // MARK: Access

    /// The directory's mode if users other than its owner can read it; `nil` otherwise.
    package var openMode: String? { FileAccess(of: path)?.openMode }

    /// The user whom the directory belongs to.
    package var owner: DirectoryOwner { DirectoryOwner(of: path) }

    /// The lock of the gateway that uses the directory.
    package var lock: DirectoryLock { DirectoryLock(in: folder) }

    /// The lock of programs that make files in the directory which only one of them may make.
    ///
    /// It is on a file and not on the directory: other users may be able to open the directory, and could keep it
    /// locked.
    package var setupLock: FileLock { FileLock(Self.setupLockName, in: folder) }

    // MARK: Contents

    /// The directory as a folder of files.
    package var files: DataFolder { DataFolder(folder) }

    /// The database.
    package var database: DirectoryDatabase { DirectoryDatabase(in: files, of: gatewayKey) }

    /// The record of the address that the directory's gateway listens at.
    package var address: AddressRecord { AddressRecord(in: path) }

    /// The record of the name that the directory's gateway has among those that share a database.
    package var member: MemberRecord { MemberRecord(in: files, beside: lock) }

    // MARK: Secrets

    /// The admin token.
    package var adminToken: AdminTokenFile { AdminTokenFile(in: files) }

    /// The key with which the gateway signs.
    package var gatewayKey: GatewayKeyFile { GatewayKeyFile(in: files) }

    /// The certificate authority for the host names of others.
    package var authority: AuthorityFiles { AuthorityFiles(in: files, under: setupLock) }

    /// The secrets that gateways over one database have in common.
    package var sharedSecrets: SharedSecrets { SharedSecrets(in: files) }

    // MARK: Unfinished work

    /// The progress of an import into the directory.
    package var importProgress: ImportProgress { ImportProgress(in: files) }

    /// The mark of a restore to the directory.
    package var restoreMark: RestoreMark { RestoreMark(in: folder) }
}

/// A state of a data directory in which no gateway may start on it.
package struct DirectoryProblem: Sendable {
    /// The state, in words for the operator.
    package let fact: String
    /// The next step of the operator.
    package let advice: String

    /// The problem as an error.
    var error: GatewayError { GatewayError("\(fact). \(advice)") }
}
