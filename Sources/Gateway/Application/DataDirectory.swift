internal import Cryptography
internal import Foundation

/// The one directory a gateway keeps: the database, the admin token, and who is using it.
public struct DataDirectory: Sendable {
    public let path: String

    public var databasePath: String { path + "/pushgate.sqlite" }
    var folder: Folder { Folder(path) }

    /// Makes the directory, readable by its owner only, where there is none. One that is there stays as it is: it may be
    /// one that others are meant to use too.
    public init(creating path: String) throws(GatewayError) {
        self.path = path
        try Self.checkLinks(to: path)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw GatewayError(
                "cannot make the data directory \(path). Set data.directory to a place this user may write to.")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw GatewayError(
                "cannot write to the data directory \(path). Give it to this user, or set data.directory.")
        }
    }

    /// Names a directory that a gateway has made; for programs that talk to it.
    public init(existing path: String) { self.path = path }

    /// The mode, if other users than its owner may look into it.
    var openMode: String? { FileAccess(of: path)?.openMode }

    /// Root may be led to anywhere by other users' links, so it follows none of them.
    private static func checkLinks(to path: String) throws(GatewayError) {
        guard geteuid() == 0, let doubt = PathOwnership.doubtfulLink(on: path) else { return }
        throw GatewayError("\(doubt), and root does not follow it. Name the directory that it leads to.")
    }

    // MARK: Locks

    /// Keeps a second gateway out, for as long as this process lives.
    func lock() throws(GatewayError) {
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

    /// Runs the body while no other process, and no other task of this one, runs one for this directory.
    ///
    /// The lock is a file, and not the directory: that may be one that others can open, and so hold locked.
    func exclusively<Output>(_ body: () throws(GatewayError) -> Output) throws(GatewayError) -> Output {
        try FileLock("setup.lock", in: folder).exclusively(body)
    }

    // MARK: The address

    static let addressName = "address"

    /// Notes where the gateway listens, so that the command line finds it.
    func noteAddress(_ url: String) throws(GatewayError) { try write(url + "\n", to: Self.addressName) }

    func removeAddress() { try? file(Self.addressName).remove() }

    // MARK: Files

    func file(_ name: String) -> AtomicFile { AtomicFile(name, in: folder) }

    /// A file's text without white space around it; `nil` if there is none.
    func text(of name: String) throws(GatewayError) -> String? {
        let contents = try file(name).contents()
        return contents.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// Writes a file of this directory, for its owner alone unless another mode is given.
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws(GatewayError) {
        try file(name).replace(with: Array(text.utf8), access: ownAccess(mode: mode))
    }

    /// Makes a folder in this directory, or in one of its folders, as the directory's owner's, where there is none.
    func makeFolder(_ name: String, in parent: Folder? = nil) throws(GatewayError) {
        let parent = parent ?? folder
        do throws(SystemError) {
            try parent.make(name, ownAccess(mode: 0o700))
        } catch {
            throw GatewayError(cannot: "make", "\(parent.path)/\(name)", error)
        }
    }

    /// The access of what is made in this directory.
    func ownAccess(mode: mode_t) -> FileAccess { FileAccess(in: path, mode: mode) }
}
