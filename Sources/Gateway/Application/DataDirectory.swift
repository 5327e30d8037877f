internal import Cryptography
internal import Foundation

/// The one directory a gateway keeps: the database, the admin token, and who is using it.
public struct DataDirectory: Sendable {
    public let path: String

    public var databasePath: String { path + "/pushgate.sqlite" }
    var adminTokenPath: String { path + "/admin-token" }
    private var lockPath: String { path + "/lock" }
    private var addressPath: String { path + "/address" }

    /// Makes the directory, readable by its owner only, where there is none.
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

    // MARK: The lock

    /// Keeps a second gateway out, for as long as this process lives.
    func lock() throws(GatewayError) {
        let descriptor = open(lockPath, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw GatewayError(
                "another gateway is using \(path). Stop it, or give this one a data.directory of its own.")
        }
    }

    // MARK: The admin token

    /// The token kept here, made when there is none.
    ///
    /// - Returns: the token, and whether it is new.
    func adminToken() throws(GatewayError) -> (token: RedactedString, isNew: Bool) {
        if let token = existingAdminToken() { return (token, false) }
        var generator = SystemRandomNumberGenerator()
        let token = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        try write(token + "\n", to: adminTokenPath)
        return (RedactedString(token), true)
    }

    /// The token kept here, or nil.
    public func existingAdminToken() -> RedactedString? {
        guard let text = try? String(contentsOfFile: adminTokenPath, encoding: .utf8) else { return nil }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return token.isEmpty ? nil : RedactedString(token)
    }

    // MARK: Keys and accounts

    /// The key kept here, made when there is none.
    func gatewayKey() throws(GatewayError) -> GatewayKey {
        let path = path + "/gateway-key"
        if let text = try? String(contentsOfFile: path, encoding: .utf8) {
            guard let bytes = Base64URL.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)),
                bytes.count == GatewayKey.byteCount
            else {
                throw GatewayError(
                    "\(path) is not the key that was made here. Restore it from a backup; or delete it, and every "
                        + "registration token made so far is void.")
            }
            return GatewayKey(bytes)
        }
        let bytes = GatewayKey.generate()
        try write(Base64URL.encode(bytes) + "\n", to: path)
        return GatewayKey(bytes)
    }

    var serviceAccounts: ServiceAccounts { ServiceAccounts(path: path + "/service-accounts") }

    // MARK: The address

    /// Notes where the gateway listens, so that the command line finds it.
    func noteAddress(_ url: String) throws(GatewayError) { try write(url + "\n", to: addressPath) }

    func removeAddress() { unlink(addressPath) }

    /// Where the gateway of this directory listens, while it does.
    public func notedAddress() -> String? {
        let text = try? String(contentsOfFile: addressPath, encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func write(_ text: String, to path: String) throws(GatewayError) { try Self.write(text, to: path) }

    /// Writes a file that its owner only may read.
    static func write(_ text: String, to path: String) throws(GatewayError) {
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw GatewayError("cannot write \(path). Is the disk full?") }
    }
}
