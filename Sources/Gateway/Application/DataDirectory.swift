internal import Cryptography
internal import Foundation

/// The one directory a gateway keeps: the database, the admin token, and who is using it.
public struct DataDirectory: Sendable {
    public let path: String

    public var databasePath: String { path + "/pushgate.sqlite" }
    var adminTokenPath: String { path + "/admin-token" }
    private var lockPath: String { path + "/lock" }
    private var addressPath: String { path + "/address" }

    /// Makes the directory, readable by its owner only, where there is none. One that is there stays as it is: it may be
    /// one that others are meant to use too.
    public init(creating path: String) throws(GatewayError) {
        self.path = path
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
    var openMode: String? {
        guard let access = FileAccess(of: path), access.mode & 0o077 != 0 else { return nil }
        return "0" + String(access.mode, radix: 8)
    }

    // MARK: Locks

    /// Keeps a second gateway out, for as long as this process lives.
    func lock() throws(GatewayError) {
        let descriptor = open(lockPath, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError()
            if descriptor >= 0 { close(descriptor) }
            guard error.code == EWOULDBLOCK else { throw GatewayError(cannot: "lock", lockPath, error) }
            throw GatewayError(
                "another gateway is using \(path). Stop it, or give this one a data.directory of its own.")
        }
    }

    /// Runs the body while no other process, and no other task of this one, runs one for this directory.
    ///
    /// What is locked is the directory itself: there is no file that could belong to another user.
    func exclusively<Result>(_ body: () throws(GatewayError) -> Result) throws(GatewayError) -> Result {
        let directory = try locked()
        defer { directory.unlock() }
        return try body()
    }

    private func locked() throws(GatewayError) -> OpenFile {
        do throws(SystemError) {
            let directory = try OpenFile(path, O_RDONLY | O_DIRECTORY)
            try directory.lock()
            return directory
        } catch {
            throw GatewayError(cannot: "lock", path, error)
        }
    }

    // MARK: The admin token

    /// The token kept here, made when there is none.
    ///
    /// - Returns: the token, and whether it is new.
    /// - Throws: when there is a file that cannot be read, or has no token in it: it is never replaced.
    func adminToken() throws(GatewayError) -> (token: RedactedString, isNew: Bool) {
        if let token = try storedAdminToken() { return (token, false) }
        let token = Base64URL.encode(RandomBytes.generate(32))
        try write(token + "\n", to: adminTokenPath)
        return (RedactedString(token), true)
    }

    /// The token kept here, or nil.
    public func existingAdminToken() -> RedactedString? { try? storedAdminToken() }

    private func storedAdminToken() throws(GatewayError) -> RedactedString? {
        guard let token = try text(of: adminTokenPath) else { return nil }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw GatewayError("there is no token in \(adminTokenPath). Restore it; or delete it for a new one.")
        }
        return RedactedString(token)
    }

    // MARK: The key

    /// The key kept here, made when there is none.
    ///
    /// - Throws: when there is a file that cannot be read, or is no such key: another one would void every registration
    ///   token made so far.
    func gatewayKey() throws(GatewayError) -> GatewayKey {
        let path = path + "/gateway-key"
        if let text = try text(of: path) {
            guard let bytes = Base64URL.decode(text), bytes.count == GatewayKey.byteCount else {
                throw GatewayError(
                    "\(path) is not the key that was made here. Restore it from a backup; or delete it, and every "
                        + "registration token made so far is void.")
            }
            return GatewayKey(bytes)
        }
        let bytes = RandomBytes.generate(GatewayKey.byteCount)
        try write(Base64URL.encode(bytes) + "\n", to: path)
        return GatewayKey(bytes)
    }

    // MARK: The address

    /// Notes where the gateway listens, so that the command line finds it.
    func noteAddress(_ url: String) throws(GatewayError) { try write(url + "\n", to: addressPath) }

    func removeAddress() { unlink(addressPath) }

    /// Where the gateway of this directory listens, while it does.
    public func notedAddress() -> String? {
        let text = try? String(contentsOfFile: addressPath, encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Files

    /// A file's text without white space around it, or nil when there is none.
    private func text(of path: String) throws(GatewayError) -> String? {
        let contents = try AtomicFile(path).contents()
        return contents.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// Writes a file of this directory, for its owner alone unless another mode is given.
    func write(_ text: String, to path: String, mode: mode_t = 0o600) throws(GatewayError) {
        try AtomicFile(path).replace(with: Array(text.utf8), access: FileAccess(in: self.path, mode: mode))
    }

    /// Makes a directory in this one, as its own, where there is none.
    func makeDirectory(_ path: String) throws(GatewayError) {
        let access = FileAccess(in: self.path, mode: 0o700)
        do throws(SystemError) {
            guard mkdir(path, access.mode) == 0 else { throw SystemError() }
            try OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).set(access)
        } catch {
            if error.code == EEXIST { return }
            throw GatewayError(cannot: "make", path, error)
        }
    }
}
