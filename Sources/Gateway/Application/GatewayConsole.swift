import Console
import DocumentStore
import FCMInterface
import FirestoreAPI
import Functions
import Instance
import Messaging

/// The state and the keys of the gateway, for its console.
struct GatewayConsole: ConsoleGateway {
    let directory: DataDirectory
    let delivery: GatewayDelivery
    let readiness: Readiness
    let space: DiskSpace
    /// The certificates of the HTTPS port; `nil` if there is no such port.
    let files: CertificateFiles?

    var version: String { GatewayVersion.current }
    var pushServices: String { delivery.description }
    var isEmulator: Bool { delivery.isEmulator }
    var senders: [PushSender] { delivery.services.flatMap(\.senders) }

    var certificates: ShownCertificates? {
        files.map { files in
            ShownCertificates(
                files.certificates.map { (names: $0.names, expiry: $0.expiry) }, missingNames: files.missingNames)
        }
    }

    var disk: ShownDisk { ShownDisk(space: space.summary, database: directory.database.size) }

    func checks() async -> [ShownCheck] {
        await readiness.checks().map { check in
            let state: ShownCheck.State =
                switch check.state {
                case .ok: .ok
                case .degraded: .degraded
                case .failed: .failed
                }
            return ShownCheck(name: check.title ?? check.name, state: state, problem: check.problem)
        }
    }

    func accounts() throws -> ShownAccounts {
        let all = try ServiceAccountFiles(in: directory).all()
        let readable = all.compactMap { try? $0.get() }
        let shown = readable.map { account in
            ShownAccounts.Account(
                keyID: account.keyID, email: account.email, interfaces: account.scopes.names,
                createdAt: account.createdAt)
        }
        return ShownAccounts(shown, unreadable: all.count - readable.count)
    }

    func revokeAccount(keyID: String) throws -> Bool { try ServiceAccountFiles(in: directory).revoke(keyID: keyID) }
}

extension DeviceList {
    /// Returns the list of the registrations of FCM's clients.
    static func clientsOfFCM(_ store: any DocumentStore) -> DeviceList {
        DeviceList(
            collection: "registrations", title: "Registrations of FCM's clients", system: FCMEndpoints.source,
            store: store)
    }
}

extension Console {
    /// Creates the console of a gateway.
    ///
    /// - Parameter certificates: The certificates of the HTTPS port; `nil` if there is no such port.
    init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        _ systems: GatewaySystems, _ monitoring: GatewayMonitoring, _ certificates: CertificateFiles?,
        _ firestore: FirestoreInterface, _ sender: DirectSender, _ checks: RequestChecks
    ) {
        self.init(
            services: ConsoleServices(
                gateway: GatewayConsole(
                    directory: storage.directory, delivery: delivery, readiness: monitoring.readiness,
                    space: storage.space, files: certificates),
                store: storage.store, documents: { await firestore.answer($0) }, history: monitoring.history,
                explanations: monitoring.explanations, sender: sender, dispatcher: delivery.dispatcher,
                inbox: delivery.inbox, scripts: delivery.scripts, modules: systems.modules,
                devices: [.clientsOfFCM(storage.store)],
                sources: configuration.modules.sources + [FCMEndpoints.source, DirectSender.source],
                secrets: ConsoleSecrets(EnabledModules.available)),
            access: ConsoleAccess(
                adminToken: storage.adminToken, readToken: configuration.admin.readToken,
                originGuard: checks.originGuard, now: { .now }),
            refusals: checks.refusals)
    }
}
