import Cryptography
import DocumentStore
import Foundation
import Functions
import Logging
package import PostgreSQLStore

/// A store that this process alone uses, until it is closed: no gateway runs on it.
struct OpenStore {
    let place: StorePlace
    let engine: any DocumentEngine
    /// The documents that reads had to leave out.
    let unreadable: UnreadableDocuments
    /// Returns the storage for files of a name.
    let files: @Sendable (_ name: String) -> any FileStorage
    private let secrets: Secrets
    /// The time for which a whole database can be read.
    private static let lifetime = Duration.seconds(7 * 24 * 60 * 60)

    /// The place of the secrets that gateways make for themselves.
    fileprivate enum Secrets {
        case directory(SharedSecrets)
        case server(PostgreSQLEngine)
    }

    /// Opens a store.
    ///
    /// - Parameter isNew: `true` to create it if it does not exist.
    /// - Throws: `GatewayError` if it does not exist, or a gateway uses it.
    private init(
        _ place: StorePlace, _ settings: StoreSettings, isNew: Bool, _ logger: Logger
    ) async throws {
        self.place = place
        switch place {
        case .directory(let path):
            let directory = try isNew ? DataDirectory(creating: path) : DataDirectory(existing: path)
            try directory.restoreMark.check()
            guard isNew || FileManager.default.fileExists(atPath: directory.database.path) else {
                throw GatewayError("there is no gateway's data in \(path). Name its directory.")
            }
            try directory.importProgress.check()
            directory.database.reportLostCommits(logger)
            if settings.backsUpBeforeUpgrade { try OfflineBackup(of: directory).makeBeforeUpgrade(logger) }
            let file = try settings.engines.engine(in: directory, resultLifetime: Self.lifetime, logger)
            (engine, unreadable) = (file, file.unreadable)
            files = { FolderFiles($0, in: directory) }
            secrets = .directory(directory.sharedSecrets)
        case .server(let url):
            var configuration = try settings.server(url)
            configuration.resultLifetime = Self.lifetime
            let server = try settings.engines.engine(on: configuration, logger)
            do {
                try await server.checkMembers(leaseLength: settings.lease)
            } catch {
                await server.close()
                throw error
            }
            (engine, unreadable) = (server, server.unreadable)
            files =
                if let path = settings.filesPath {
                    { FolderFiles($0, in: DataDirectory(existing: path)) }
                } else {
                    { DatabaseFiles($0, in: server) }
                }
            secrets = .server(server)
        }
    }

    /// Runs the body with a store, and closes it.
    static func with<Answer>(
        _ place: StorePlace, _ settings: StoreSettings, isNew: Bool, _ logger: Logger,
        _ body: (OpenStore) async throws -> Answer
    ) async throws -> Answer {
        let store = try await OpenStore(place, settings, isNew: isNew, logger)
        do {
            let answer = try await body(store)
            await store.engine.close()
            return answer
        } catch {
            await store.engine.close()
            throw error
        }
    }

    /// Copies the secrets that gateways make for themselves to another store.
    ///
    /// - Throws: `GatewayError` if that has others.
    func copySecrets(to target: OpenStore) throws {
        for name in SharedSecrets.names {
            guard let own = try secrets.secret(named: name) else { continue }
            guard ConstantTime.equal(own, try target.secrets.stored(own, as: name)) else {
                throw GatewayError(
                    "\(target.place) has another \(name) than \(place). Name a store that no gateway has used.")
            }
        }
    }
}

extension OpenStore.Secrets {
    fileprivate func secret(named name: String) throws -> [UInt8]? {
        switch self {
        case .directory(let directory): try directory.secret(named: name)
        case .server(let server): try server.secret(named: name)
        }
    }

    fileprivate func stored(_ secret: [UInt8], as name: String) throws -> [UInt8] {
        switch self {
        case .directory(let directory): try directory.stored(secret, as: name)
        case .server(let server): try server.stored(secret, as: name)
        }
    }
}

extension PostgreSQLEngine {
    /// Throws an error if gateways renew their places, so that the caller does not have the documents for itself.
    package func checkMembers(leaseLength: Duration) async throws(GatewayError) {
        let names: [String]
        do throws(StoreError) {
            names = try await livingMembers(leaseLength: leaseLength)
        } catch {
            throw GatewayError("cannot use the database: \(error.explanation)")
        }
        guard !names.isEmpty else { return }
        throw GatewayError(
            "\(names.count == 1 ? "a gateway is" : "\(names.count) gateways are") using the database. "
                + "Stop all of its gateways first.")
    }
}
