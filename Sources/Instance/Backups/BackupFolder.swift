import DocumentStore
import DurableFiles
import Foundation

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

    private let folder: DataFolder
    private let owner: DirectoryOwner

    private static let suffix = ".backup"
    /// The suffix of a backup that is being written. SQLite's journal has it with a suffix of its own.
    private static let unfinishedSuffix = ".partial"

    /// Refers to the folder of a directory.
    package init(of directory: DataDirectory) {
        folder = directory.files.folder(Self.name)
        owner = directory.owner
    }

    // MARK: Making

    /// Returns the name for a new backup, and creates the folder if it does not exist.
    func begin(_ kind: Kind) throws(GatewayError) -> UnfinishedBackup {
        try folder.make()
        let time = Timestamp.now.description.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
        let random = String(UInt32.random(in: .min ... .max), radix: 16)
        let name = "\(kind.rawValue)-\(time)-\(random)\(Self.suffix)"
        return UnfinishedBackup(
            name: name, file: folder.file(name + Self.unfinishedSuffix), access: folder.access(mode: 0o600))
    }

    /// Removes the backups of a kind but the newest ones.
    func keep(_ count: Int, of kind: Kind) throws(GatewayError) {
        let names = try names().filter { $0.hasPrefix(kind.rawValue + "-") && $0.hasSuffix(Self.suffix) }
        for name in names.sorted().dropLast(count) { try folder.file(name).remove() }
    }

    /// Removes the backups that an earlier process has not finished.
    package func removeUnfinished() throws(GatewayError) {
        for name in try names() where name.contains(Self.suffix + Self.unfinishedSuffix) {
            try folder.file(name).remove()
        }
    }

    /// The size of the backup that is being written, in bytes; `nil` if there is none.
    package var unfinishedBytes: Int? {
        let entries = try? folder.entries().filter { $0.name.hasSuffix(Self.suffix + Self.unfinishedSuffix) }
        return entries?.map(\.status.size).max()
    }

    private func names() throws(GatewayError) -> [String] { try folder.names(orCannot: "list") }

    // MARK: Moving

    /// Returns the path of a backup that the gateway made.
    package func path(of name: String) -> String { folder.file(name).path }

    /// Moves a backup that the gateway made to a new file. On another file system, and for root, it becomes a copy that
    /// belongs to this process's user.
    package func move(_ name: String, to target: String) throws(GatewayError) {
        guard KeptFiles.isPlain(name) else { throw GatewayError("the gateway named no file of its folder") }
        let source = path(of: name)
        do {
            let isMoved = geteuid() != 0 && link(source, target) == 0
            if !isMoved { try copy(source, to: target) }
            try DirectoryEntries.synchronizeEntry(of: target)
        } catch {
            throw GatewayError("\(error)")
        }
        owner.run { try? DirectoryEntries.remove(source) }
    }

    /// Copies a backup. It is opened with the rights of its owner, who may have put a link in its place.
    private func copy(_ path: String, to target: String) throws {
        let source = try owner.run { try OpenFile(path, O_RDONLY | O_NOFOLLOW) }
        let copy = try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        let (from, to) = (
            FileHandle(fileDescriptor: source.descriptor, closeOnDealloc: false),
            FileHandle(fileDescriptor: copy.descriptor, closeOnDealloc: false)
        )
        do {
            while let piece = try from.read(upToCount: 1 << 20), !piece.isEmpty { try to.write(contentsOf: piece) }
            try to.synchronize()
        } catch {
            unlink(target)
            throw error
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
