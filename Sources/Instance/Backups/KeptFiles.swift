import DocumentStore
import Foundation

/// The files that a backup of a data directory keeps beside the documents, and that a restore puts back.
struct KeptFiles: Sendable {
    /// The files that belong to a running process, or that a backup has in another form.
    private static let omittedNames: Set = [
        DirectoryLock.name, DataDirectory.setupLockName, AddressRecord.name, BackupFolder.name,
    ]
    /// The depth of the deepest files, such as `photos/TASK/PHOTO`.
    private static let maximumDepth = 3

    private let folder: DataFolder

    init(of directory: DataDirectory) { folder = directory.files }

    /// Calls the closure with each file.
    func forEach(_ add: (BackupFile) throws -> Void) throws { try forEach(in: folder, [], add) }

    private func forEach(in folder: DataFolder, _ parents: [String], _ add: (BackupFile) throws -> Void) throws {
        for (name, status) in try folder.entries() where Self.isKept(name, isAtTop: parents.isEmpty) {
            switch status.kind {
            case .directory where parents.count + 1 < Self.maximumDepth:
                try forEach(in: folder.folder(name), parents + [name], add)
            case .regular:
                let file = folder.file(name)
                // A file that has been removed in the meantime is left out.
                guard let contents = try file.contents(), let access = try file.access() else { continue }
                let path = (parents + [name]).joined(separator: "/")
                try add(BackupFile(name: path, mode: Int(access.mode), contents: contents))
            default: continue
            }
        }
    }

    /// Writes a file of a backup.
    ///
    /// - Throws: `GatewayError` if a gateway has no file of its name, or if it cannot be written.
    func restore(_ backup: BackupFile) throws(GatewayError) {
        let names = backup.name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let name = names.last, names.count <= Self.maximumDepth, names.allSatisfy(Self.isPlain),
            Self.isKept(names[0], isAtTop: true)
        else { throw GatewayError("the backup has a file with a name that no gateway uses. Nothing was restored.") }
        let parent = names.dropLast().reduce(folder) { $0.folder($1) }
        try parent.make()
        try parent.write(backup.contents, to: name, mode: Self.mode(of: names))
    }

    /// Returns the mode of a file of a gateway. The one in the backup is not used: a stranger may have written the
    /// backup, and would open the file to other users.
    private static func mode(of names: [String]) -> mode_t {
        names.count == 1 ? AuthorityFiles.mode(of: names[0]) : 0o600
    }

    private static func isKept(_ name: String, isAtTop: Bool) -> Bool {
        guard isPlain(name), !name.contains(".new-") else { return false }
        return !isAtTop || !omittedNames.contains(name) && !name.hasPrefix(DirectoryDatabase.name)
    }

    /// Returns `true` for a name of the form that the gateway gives its files. It leads to no other folder.
    static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") } && !name.hasPrefix(".")
            && !name.isEmpty && name.utf8.count <= 255
    }
}
