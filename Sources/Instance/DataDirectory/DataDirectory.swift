import Cryptography
import DurableFiles
import Foundation

/// The directory that holds a gateway's state: the database, the secrets, and the lock of the process that uses it.
package struct DataDirectory: Sendable {
    /// The directory's path.
    package let path: String

    /// The path of the SQLite database.
    package var databasePath: String { path + "/" + Self.databaseName }
    static let databaseName = "pushgate.sqlite"
    var folder: Folder { Folder(path) }

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

    /// The directory's mode if users other than its owner can read it; `nil` otherwise.
    package var openMode: String? { FileAccess(of: path)?.openMode }

    /// Throws if the path contains another user's link and this process is root. Such a link could lead root
    /// anywhere.
    private static func checkLinks(to path: String) throws(GatewayError) {
        guard geteuid() == 0, let doubt = PathOwnership.doubtfulLink(on: path) else { return }
        throw GatewayError("\(doubt), and root does not follow it. Name the directory that it leads to.")
    }

    // MARK: Locks

    /// Takes the directory's lock for the lifetime of this process, so that no second gateway can use the directory.
    package func lock() throws(GatewayError) {
        let (name, access) = ("lock", ownAccess(mode: 0o600))
        let isLocked: Bool
        do throws(SystemError) {
            isLocked = try folder.open { directory, owners throws(SystemError) in
                let file = try OpenFile(name, in: directory, O_CREAT | O_RDWR, mode: 0o600, owners: owners)
                guard try file.tryLock() else { return false }
                if access.owner != nil { try file.set(access) }
                file.keepOpen()
                return true
            }
        } catch {
            throw GatewayError(cannot: "lock", "\(path)/\(name)", error)
        }
        guard isLocked else {
            throw GatewayError(
                "another gateway is using \(path). Stop it, or give this one a data.directory of its own.")
        }
    }

    /// Runs `body` while no other process, and no other task of this process, runs one for this directory.
    ///
    /// The lock is on a file and not on the directory: other users may be able to open the directory, and could keep
    /// it locked.
    package func exclusively<Output>(_ body: () throws(GatewayError) -> Output) throws(GatewayError) -> Output {
        try FileLock("setup.lock", in: folder).exclusively(body)
    }

    // MARK: The address

    static let addressName = "address"

    /// Records the address that the gateway listens at, for the command line.
    package func noteAddress(_ url: String) throws(GatewayError) { try write(url + "\n", to: Self.addressName) }

    /// Removes the record of the address, if there is one.
    package func removeAddress() { try? file(Self.addressName).remove() }

    // MARK: Files

    /// Returns the file of a name in this directory, or in a folder below it.
    ///
    /// - Parameter folders: The names of the folder and of those above it, the outermost first.
    package func file(_ name: String, in folders: [String] = []) -> AtomicFile {
        AtomicFile(name, in: folders.reduce(folder) { $0.folder($1) })
    }

    /// Returns the names in a folder of this directory; none if it does not exist.
    package func names(in folder: String) throws(GatewayError) -> [String] {
        let listed = self.folder.folder(folder)
        do throws(SystemError) {
            return try listed.list { folder throws(SystemError) in try folder.names() }
        } catch {
            throw GatewayError(cannot: "read", listed.path, error)
        }
    }

    /// Returns a file's text without surrounding white space, or `nil` if the file does not exist.
    func text(of name: String) throws(GatewayError) -> String? {
        let contents = try file(name).contents()
        return contents.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// Writes a file in this directory, which only the owner can read.
    package func write(_ text: String, to name: String) throws(GatewayError) {
        try write(text, to: name, mode: 0o600)
    }

    func write(_ text: String, to name: String, mode: mode_t) throws(GatewayError) {
        try file(name).replace(with: Array(text.utf8), access: ownAccess(mode: mode))
    }

    /// Creates a folder in this directory, or in `parent`, with the directory's owner, if it does not exist.
    func makeFolder(_ name: String, in parent: Folder? = nil) throws(GatewayError) {
        let parent = parent ?? folder
        do throws(SystemError) {
            try parent.make(name, ownAccess(mode: 0o700))
        } catch {
            throw GatewayError(cannot: "make", "\(parent.path)/\(name)", error)
        }
    }

    /// Creates a folder below this directory, and those above it, if they do not exist.
    ///
    /// - Parameter names: The names of the folders, the outermost first.
    package func makeFolders(_ names: [String]) throws(GatewayError) {
        var parent = folder
        for name in names {
            try makeFolder(name, in: parent)
            parent = parent.folder(name)
        }
    }

    /// The access rights for new files in this directory that only its owner may read.
    package var ownerOnlyAccess: FileAccess { ownAccess(mode: 0o600) }

    /// The access rights for new files in this directory.
    func ownAccess(mode: mode_t) -> FileAccess { FileAccess(in: path, mode: mode) }
}

/// The checks that programs make before they trust the contents of a data directory and talk to its gateway.
extension DataDirectory {
    /// Returns the address of this directory's running gateway, or `nil` if the directory records none.
    ///
    /// The command line sends secrets to this address, so no other user may be able to choose it.
    ///
    /// - Throws: `GatewayError` if another user could have written the address. The text contains the address.
    package func believedAddress() throws(GatewayError) -> String? {
        guard let note = try note() else { return nil }
        guard let address = note.address else {
            throw GatewayError("\(path)/address does not contain a URL. \(Self.advice)")
        }
        guard let doubt = PathOwnership.doubt(about: path) ?? note.status.doubt(about: path + "/address") else {
            return address
        }
        throw GatewayError(
            "\(path) says that its gateway is at \(address), but another user may have written that: \(doubt). "
                + Self.advice)
    }

    /// The recorded address, no matter who wrote it; `nil` if none is recorded. Do not send a secret to it.
    package func notedAddress() -> String? { (try? note())?.address }

    /// Throws if another user may have written the contents of this directory.
    package func checkOwnership() throws(GatewayError) {
        guard let doubt = PathOwnership.doubt(about: path) else { return }
        throw GatewayError("another user may have written the files in \(path): \(doubt). \(Self.advice)")
    }

    private static let advice = "If it is the gateway that you want, name it with --server."

    private func note() throws(GatewayError) -> (address: String?, status: FileStatus)? {
        do throws(GatewayError) {
            // The file may have any owner: the error text quotes its contents.
            return try AtomicFile(Self.addressName, in: Folder(path, isOwned: false)).read { file throws(SystemError) in
                (Self.url(try file.contents(0..<2_048)), try file.status())
            }
        } catch {
            throw GatewayError("\(error) \(Self.advice)")
        }
    }

    /// Returns the text if it is an HTTP or HTTPS URL. Other text is neither shown nor connected to.
    private static func url(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let components = URLComponents(string: text),
            ["http", "https"].contains(components.scheme), components.host?.isEmpty == false
        else { return nil }
        return text
    }
}
