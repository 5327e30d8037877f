import DocumentStore

/// The folder `backups` of a data directory, with the backups that the gateway makes.
///
/// Their names have the form `KIND-TIME-RANDOM.backup`, so that those of a kind are ordered by time.
package struct BackupFolder: Sendable {
    static let name = "backups"

    /// The reason for a backup, with which its name begins.
    package enum Kind: String {
        /// The admin asked for it.
        case requested
        /// The daily one.
        case daily
        /// The one before an update of the tables.
        case upgrade = "before-upgrade"
    }

    private let directory: DataDirectory

    private static let suffix = ".backup"
    /// The suffix of a backup that is being written. SQLite's journal has it with a suffix of its own.
    private static let unfinishedSuffix = ".partial"

    /// Refers to the folder of a directory.
    package init(of directory: DataDirectory) { self.directory = directory }

    private var folder: Folder { directory.folder.folder(Self.name) }

    /// Returns the name for a new backup, and creates the folder if it does not exist.
    func begin(_ kind: Kind) throws(GatewayError) -> UnfinishedBackup {
        try directory.makeFolder(Self.name)
        let time = Timestamp.now.description.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
        let random = String(UInt32.random(in: .min ... .max), radix: 16)
        let name = "\(kind.rawValue)-\(time)-\(random)\(Self.suffix)"
        return UnfinishedBackup(
            name: name, file: AtomicFile(name + Self.unfinishedSuffix, in: folder),
            access: directory.ownAccess(mode: 0o600))
    }

    /// Removes the backups of a kind but the newest ones.
    func keep(_ count: Int, of kind: Kind) throws(GatewayError) {
        let names = try names().filter { $0.hasPrefix(kind.rawValue + "-") && $0.hasSuffix(Self.suffix) }
        for name in names.sorted().dropLast(count) { try AtomicFile(name, in: folder).remove() }
    }

    /// Removes the backups that an earlier process has not finished.
    package func removeUnfinished() throws(GatewayError) {
        for name in try names() where name.contains(Self.suffix + Self.unfinishedSuffix) {
            try AtomicFile(name, in: folder).remove()
        }
    }

    private func names() throws(GatewayError) -> [String] {
        do {
            return try folder.list { folder throws(SystemError) in try folder.names() }
        } catch {
            throw GatewayError(cannot: "list", folder.path, error)
        }
    }
}

/// A backup that is being written under a temporary name.
struct UnfinishedBackup: Sendable {
    /// The final name.
    let name: String
    fileprivate let file: AtomicFile
    fileprivate let access: FileAccess

    /// The path to write to.
    var path: String { file.path }

    /// Gives the backup its final name and the owner of the directory.
    func finish(_ backup: StoreBackup) throws(GatewayError) -> StoreBackup {
        try file.rename(to: name, access: access)
        var backup = backup
        backup.path = "\(file.folder.path)/\(name)"
        return backup
    }
}
