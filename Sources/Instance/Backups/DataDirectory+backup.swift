package import DocumentStore
import DurableFiles
import Foundation

/// Backups: one file with the documents and with all other files of a data directory.
extension DataDirectory {
    /// The files that belong to a running process, or that a backup has in another form.
    private static let omittedNames: Set = ["lock", "setup.lock", addressName, BackupFolder.name]
    /// The depth of the deepest files, such as `photos/TASK/PHOTO`.
    static let maximumDepth = 3

    /// `true` if a gateway runs on the directory.
    package var isInUse: Bool {
        (try? folder.open { directory, owners throws(SystemError) in
            let file = try OpenFile("lock", in: directory, O_RDWR, owners: owners)
            return try !file.tryLock()
        }) ?? false
    }

    /// The size of the database and its log in bytes; 0 if there is none.
    package var databaseSize: Int64 {
        Int64([databasePath, databasePath + "-wal"].reduce(0) { $0 + (FileStatus(of: $1)?.size ?? 0) })
    }

    /// Returns the path of a backup that the gateway made.
    package func path(ofBackup name: String) -> String { "\(path)/\(BackupFolder.name)/\(name)" }

    /// Moves a backup that the gateway made to a new file. On another file system, and for root, it becomes a copy that
    /// belongs to this process's user.
    package func moveBackup(_ name: String, to target: String) throws(GatewayError) {
        guard Self.isPlain(name) else { throw GatewayError("the gateway named no file of its folder") }
        do {
            let isMoved = geteuid() != 0 && link(path(ofBackup: name), target) == 0
            if !isMoved { try copyBackup(name, to: target) }
            try DirectoryEntries.synchronizeEntry(of: target)
        } catch {
            throw GatewayError("\(error)")
        }
        asOwner { directory in try? DirectoryEntries.remove(directory.path(ofBackup: name)) }
    }

    /// Copies a backup. It is opened with the rights of its owner, who may have put a link in its place.
    private func copyBackup(_ name: String, to target: String) throws {
        let source = try asOwner { directory in try OpenFile(directory.path(ofBackup: name), O_RDONLY | O_NOFOLLOW) }
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

    /// Backs up a directory that no gateway uses.
    ///
    /// - Throws: `GatewayError` if a gateway uses it, or if the backup cannot be written.
    package func backUp(to path: String) throws(GatewayError) -> StoreBackup {
        try checkRestores()
        guard FileManager.default.fileExists(atPath: databasePath) else {
            throw GatewayError("there is no gateway's data in \(self.path). Name its directory with --data-directory.")
        }
        do {
            return try StoreBackup.make(of: databasePath, to: path) { add in try backupFiles(add) }
        } catch {
            throw GatewayError("cannot back up \(self.path): \(error.message)")
        }
    }

    /// Calls the closure with each file that a backup keeps beside the documents.
    func backupFiles(_ add: (BackupFile) throws -> Void) throws { try backupFiles(in: folder, [], add) }

    private func backupFiles(
        in folder: Folder, _ parents: [String], _ add: (BackupFile) throws -> Void
    ) throws {
        for (name, kind) in try entries(of: folder) where isKept(name, isAtTop: parents.isEmpty) {
            switch kind {
            case .directory where parents.count + 1 < Self.maximumDepth:
                try backupFiles(in: folder.folder(name), parents + [name], add)
            case .regular:
                let file = AtomicFile(name, in: folder)
                // A file that has been removed in the meantime is left out.
                guard let contents = try file.contents(), let access = try file.access() else { continue }
                let path = (parents + [name]).joined(separator: "/")
                try add(BackupFile(name: path, mode: Int(access.mode), contents: contents))
            default: continue
            }
        }
    }

    func entries(of folder: Folder) throws(GatewayError) -> [(name: String, kind: FileStatus.Kind)] {
        do {
            return try folder.list { directory throws(SystemError) in
                var entries: [(String, FileStatus.Kind)] = []
                for name in try directory.names() {
                    if let status = try directory.status(of: name) { entries.append((name, status.kind)) }
                }
                return entries
            }
        } catch {
            throw GatewayError(cannot: "list", folder.path, error)
        }
    }

    func isKept(_ name: String, isAtTop: Bool) -> Bool {
        guard Self.isPlain(name), !name.contains(".new-") else { return false }
        return !isAtTop || !Self.omittedNames.contains(name) && !name.hasPrefix(Self.databaseName)
    }

    /// Returns `true` for a name of the form that the gateway gives its files. It leads to no other folder.
    static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") } && !name.hasPrefix(".")
            && !name.isEmpty && name.utf8.count <= 255
    }
}
