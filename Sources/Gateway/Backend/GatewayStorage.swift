import DocumentStore
import FCMInterface
import Functions
import Instance
import Logging
import Messaging
import PostgreSQLStore
import Secrets
import Settings

/// The parts of a gateway that keep data: the data directory, the documents and the secrets.
struct GatewayStorage: Sendable {
    let directory: DataDirectory
    /// The directory, if this start has made it.
    let newDirectory: NewDirectory?
    let engine: any DocumentEngine
    /// The gateway's own documents.
    let store: any DocumentStore
    /// The same documents for requests, which are refused new data while the disk is nearly full.
    let admitting: AdmittingStore
    let space: DiskSpace
    /// `nil` if the documents are in PostgreSQL, whose own tools back them up.
    let backups: Backups?
    /// The databases for Firestore's interface, which are refused new data while the disk is nearly full.
    var databases: AdmittingEngine { AdmittingEngine(base: engine, space: space) }
    /// The place of this gateway among those that share the documents; `nil` if it has them for itself.
    var membership: (any Membership)? { engine.membership }
    /// Returns a cache of the gateway's documents below a root collection. If other gateways may change them, its
    /// answers count only with a commit.
    let cache: @Sendable (_ root: String) -> DocumentCache
    /// Returns the period of the commits to the gateway's documents, if others may change them; `nil` if some are known
    /// to do.
    let period: @Sendable () -> CommitPeriod?
    /// Returns the storage for files of a name, in a folder of the data directory or in the database.
    let files: @Sendable (_ name: String) -> any FileStorage
    let key: GatewayKey
    /// The database that has the secrets too; `nil` if the directory alone has them.
    private let secretsDatabase: PostgreSQLEngine?
    /// The issuer of access tokens for clients of FCM and Firestore.
    var accessTokens: AccessTokens { AccessTokens(key: key.accessTokens, now: { Timestamp.now.seconds }) }
    let adminToken: RedactedString
    /// `true` if the admin token was created at this start, so that no user has seen it yet.
    let isAdminTokenNew: Bool

    /// Creates and locks the data directory, and opens the database, or connects to it. A directory that this call has
    /// made is removed if it fails.
    ///
    /// - Parameter isImporting: `true` to write documents into a directory on which no gateway may run yet.
    init(_ configuration: GatewayConfiguration, isImporting: Bool = false, _ logger: Logger) throws {
        let (directory, new) = try NewDirectory.creating(configuration.data.directory)
        try directory.lock.take()
        do {
            try self.init(configuration, in: directory, new, isImporting: isImporting, logger)
        } catch {
            new?.remove()
            throw error
        }
    }

    private init(
        _ configuration: GatewayConfiguration, in directory: DataDirectory, _ newDirectory: NewDirectory?,
        isImporting: Bool, _ logger: Logger
    ) throws {
        self.directory = directory
        self.newDirectory = newDirectory
        if let mode = directory.openMode {
            logger.warning(
                "found a data directory that other users can read; run chmod 700 on it unless they should",
                metadata: ["directory": "\(directory.path)", "mode": "\(mode)"])
        }
        try directory.restoreMark.check()
        if !isImporting { try directory.importProgress.check() }
        try BackupFolder(of: directory).removeUnfinished()
        let reusable: @Sendable () -> Int64
        let shared: PostgreSQLEngine?
        if var postgreSQL = try configuration.store.postgreSQL() {
            guard configuration.backups.keep == 0 else {
                throw ConfigurationError(
                    key: "backups.keep",
                    problem: "must be 0 with store.url: back up the database with its own tools, such as pg_dump")
            }
            postgreSQL.isMember = !isImporting
            postgreSQL.formerMember = try directory.member.name
            let server = try EngineSettings(configuration).engine(on: postgreSQL, logger)
            if let member = server.membership { try directory.member.note(member.name) }
            try directory.sharedSecrets.take(from: server, hasOwnToken: configuration.admin.token != nil)
            (engine, shared, reusable) = (server, server, { 0 })
            cache = { server.cache(of: $0) }
            period = { server.period }
        } else {
            if !isImporting { try directory.database.check() }
            directory.database.reportLostCommits(logger)
            if configuration.backups.beforeUpgrade { try OfflineBackup(of: directory).makeBeforeUpgrade(logger) }
            let sqlite = try EngineSettings(configuration).engine(in: directory, logger)
            (engine, shared, reusable) = (sqlite, nil, { sqlite.reusableBytes })
            cache = { sqlite.cache(of: $0, in: .gateway) }
            period = { nil }
        }
        (adminToken, isAdminTokenNew) =
            try configuration.admin.token.map { ($0, false) } ?? directory.adminToken.readOrCreate()
        key = try directory.gatewayKey.readOrCreate()
        secretsDatabase = shared
        if let shared {
            if configuration.needsAuthority {
                _ = try directory.authority.readOrCreate(for: GoogleHosts.certifiedNames)
            }
            try directory.sharedSecrets.offer(to: shared, hasOwnToken: configuration.admin.token != nil)
        }
        space = DiskSpace(
            of: directory, minimumFree: configuration.data.minimumFreeBytes.map { Int64($0) }, reusable: reusable,
            logger: logger)
        files =
            if let shared, configuration.store.files == .database {
                { DatabaseFiles($0, in: shared) }
            } else {
                { [space] in AdmittingFiles(base: FolderFiles($0, in: directory), space: space) }
            }
        store = engine.store(for: .gateway)
        admitting = AdmittingStore(base: store, space: space)
        backups = (engine as? SQLiteEngine).map { [space] in Backups(of: $0, in: directory, space) }
    }
}

extension GatewayStorage {
    /// Returns a secret of the gateway, which is made at first need. All gateways over one database have the one that
    /// the first of them has made.
    ///
    /// - Parameter name: One of `SharedSecrets.names`. Any other is refused, because gateways over one database would
    ///   not have it in common.
    func secret(
        _ name: String, make: () throws(ConfigurationError) -> [UInt8]
    ) throws(ConfigurationError) -> [UInt8] {
        guard SharedSecrets.names.contains(name) else {
            throw ConfigurationError(key: "data.directory", problem: "the gateway keeps no secret named \(name)")
        }
        let secrets = directory.sharedSecrets
        if let own = try Self.reporting({ try secrets.secret(named: name) }) { return own }
        let made = try make()
        return try Self.reporting {
            try secrets.stored(secretsDatabase?.stored(made, as: name) ?? made, as: name)
        }
    }

    private static func reporting<Answer>(_ body: () throws -> Answer) throws(ConfigurationError) -> Answer {
        do {
            return try body()
        } catch {
            throw ConfigurationError(key: "data.directory", problem: "\(error)")
        }
    }
}

extension GatewayConfiguration {
    /// `true` if the gateway certifies itself under Google's names.
    fileprivate var needsAuthority: Bool { fcm.tlsPort != nil || fcm.proxyPort != nil }
}
