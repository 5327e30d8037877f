import Cryptography
import DocumentStore
package import PostgreSQLStore

/// The secrets that all gateways over one database must have in common. The database has them, in a table beside the
/// documents, and each data directory has a copy for the command line. They never differ silently.
package struct SharedSecrets: Sendable {
    /// The names of all secrets that gateways make for themselves.
    package static let names = [AdminTokenFile.name] + keyNames
    private static let keyNames = [GatewayKeyFile.name, webPushKeyName] + AuthorityFiles.names
    /// The name of the key by which browsers' push services know the gateway, which is made at first need.
    private static let webPushKeyName = "webpush-key"

    private let files: DataFolder

    init(in files: DataFolder) { self.files = files }

    /// Copies the secrets of a database that the directory lacks.
    ///
    /// - Parameter hasOwnToken: `true` if the settings have an admin token, so that the directory needs none.
    /// - Throws: `GatewayError` if the directory has another secret than the database.
    package func take(from engine: PostgreSQLEngine, hasOwnToken: Bool) throws(GatewayError) {
        for name in hasOwnToken ? Self.keyNames : Self.names {
            guard let shared = try Self.reporting({ () throws(StoreError) in try engine.secret(named: name) }) else {
                continue
            }
            if let own = try secret(named: name) {
                try check(name, own, shared)
            } else {
                try keep(shared, as: name)
            }
        }
    }

    /// Stores the secrets of the directory that a database lacks.
    ///
    /// - Throws: `GatewayError` if another gateway has just stored another secret.
    package func offer(to engine: PostgreSQLEngine, hasOwnToken: Bool) throws(GatewayError) {
        for name in hasOwnToken ? Self.keyNames : Self.names {
            guard let own = try secret(named: name) else { continue }
            try check(name, own, try Self.reporting { () throws(StoreError) in try engine.stored(own, as: name) })
        }
    }

    /// Returns a secret of the directory; `nil` if there is none of this name.
    package func secret(named name: String) throws(GatewayError) -> [UInt8]? { try files.file(name).contents() }

    /// Stores a secret unless there is one of this name, and returns that which is stored.
    package func stored(_ secret: [UInt8], as name: String) throws(GatewayError) -> [UInt8] {
        if let own = try self.secret(named: name) { return own }
        try keep(secret, as: name)
        return secret
    }

    private func keep(_ secret: [UInt8], as name: String) throws(GatewayError) {
        try files.write(
            Array(String(decoding: secret, as: UTF8.self).utf8), to: name, mode: AuthorityFiles.mode(of: name))
    }

    private func check(_ name: String, _ own: [UInt8], _ shared: [UInt8]) throws(GatewayError) {
        guard !ConstantTime.equal(own, shared) else { return }
        throw GatewayError(
            "\(files.path)/\(name) is not that of the database, which all of its gateways share. Remove the file to take "
                + "the database's; or name another directory or database.")
    }

    private static func reporting<Answer>(_ body: () throws(StoreError) -> Answer) throws(GatewayError) -> Answer {
        do throws(StoreError) {
            return try body()
        } catch {
            throw GatewayError("cannot read the secrets in the database of store.url: \(error.explanation)")
        }
    }
}
