import DocumentStore
import Functions
import Logging
import Messaging

/// The parts of a gateway that keep data: the data directory, the documents and the secrets.
struct GatewayStorage: Sendable {
    let directory: DataDirectory
    let engine: SQLiteEngine
    /// The gateway's own documents.
    let store: any DocumentStore
    /// The same documents for requests, which are refused new data while the disk is nearly full.
    let admitting: AdmittingStore
    let space: DiskSpace
    let backups: Backups
    /// The databases for Firestore's interface, which are refused new data while the disk is nearly full.
    var databases: AdmittingEngine { AdmittingEngine(base: engine, space: space) }
    let key: GatewayKey
    let adminToken: RedactedString
    /// `true` if the admin token was created at this start, so that no user has seen it yet.
    let isAdminTokenNew: Bool

    /// Creates and locks the data directory, and opens the database.
    ///
    /// - Parameter isImporting: `true` to write documents into a directory on which no gateway may run yet.
    init(_ configuration: GatewayConfiguration, isImporting: Bool = false, _ logger: Logger) throws {
        let directory = try DataDirectory(creating: configuration.dataDirectory)
        if let mode = directory.openMode {
            logger.warning(
                "other users can read the data directory; run chmod 700 on it unless they should",
                metadata: ["directory": "\(directory.path)", "mode": "\(mode)"])
        }
        try directory.lock()
        if !isImporting { try directory.checkImports() }
        (adminToken, isAdminTokenNew) = try configuration.adminToken.map { ($0, false) } ?? directory.adminToken()
        try BackupFolder(of: directory).removeUnfinished()
        if configuration.backsUpBeforeUpgrade { try directory.backUpBeforeUpgrade(logger) }
        let engine = try Self.engine(
            directory, configuration.modules, configuration.firestore, logger)
        space = DiskSpace(
            reserve: SpaceReserve(minimumFree: configuration.minimumFreeBytes.map { Int64($0) }),
            space: { () throws(SystemError) in try FileSystemSpace(at: directory.path) },
            reusable: { engine.reusableBytes }, logger: logger)
        store = engine.store(for: .gateway)
        admitting = AdmittingStore(base: store, space: space)
        key = try directory.gatewayKey()
        backups = Backups(of: engine, in: directory, space)
        self.directory = directory
        self.engine = engine
    }

    private static func engine(
        _ directory: DataDirectory, _ modules: EnabledModules,
        _ firestore: GatewayConfiguration.Firestore, _ logger: Logger
    ) throws(GatewayError) -> SQLiteEngine {
        var configuration = SQLiteStoreConfiguration(
            path: directory.databasePath,
            fieldIndexes: Outbox.fieldIndexes + modules.types.flatMap { $0.fieldIndexes } + firestore.indexes,
            indexesFields: { database in firestore.automaticIndexes.contains { $0.covers(database) } })
        // A deleted device token must be gone, so the gateway's own database keeps no earlier versions.
        configuration.keepsVersions = { $0 != .gateway }
        do {
            return try SQLiteEngine(configuration, logger: logger)
        } catch {
            throw GatewayError("cannot open the database \(directory.databasePath): \(error.message)")
        }
    }
}
