import Console
import DocumentStore
import FCMInterface
import FirestoreAPI
import Functions
import Instance
import JSON
import Messaging
import Webhooks

/// The state and the keys of the gateway, for its console.
struct GatewayConsole: ConsoleGateway {
    let directory: DataDirectory
    let delivery: GatewayDelivery
    let readiness: Readiness
    let space: DiskSpace
    /// The certificates of the HTTPS port; `nil` if there is no such port.
    let files: CertificateFiles?
    /// The project of service accounts.
    let project: String
    /// The address at which clients reach the gateway, if the settings have it.
    let publicURL: String?

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
            return ShownCheck(
                name: check.title ?? check.name, state: state, problem: check.shortProblem ?? check.problem)
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

    var accountInterfaces: [String] { AccessScope.allCases.map(\.rawValue) }

    func makeAccount(for interfaces: [String], origin: String) throws -> String {
        let scopes = Set(interfaces.compactMap { AccessScope(rawValue: $0) })
        return try ServiceAccountFiles(in: directory).create(
            project: project, url: publicURL ?? origin, scopes: scopes
        ).prettyText + "\n"
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

extension [DeviceList] {
    /// Returns the lists of a gateway: those of its systems, and that of FCM's clients.
    static func all(_ systems: GatewaySystems, _ storage: GatewayStorage) -> [DeviceList] {
        systems.modules.compactMap(\.deviceList) + [.clientsOfFCM(storage.store)]
    }
}

extension Diagnoses {
    /// Answers questions about the notifications of a gateway.
    init(
        _ state: GatewayConsole, _ storage: GatewayStorage, _ systems: GatewaySystems, _ monitoring: GatewayMonitoring,
        _ sender: DirectSender
    ) {
        let delivery = state.delivery
        self.init(
            sender: sender, history: monitoring.history, explanations: monitoring.explanations,
            dispatcher: delivery.dispatcher, gateway: state, lists: .all(systems, storage),
            refusal: { delivery.refusal(of: $0) }, sends: { delivery.sends(to: $0) })
    }
}

extension Console {
    init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ state: GatewayConsole,
        _ systems: GatewaySystems, _ monitoring: GatewayMonitoring, _ firestore: FirestoreInterface,
        _ sender: DirectSender, _ diagnoses: Diagnoses, _ checks: RequestChecks
    ) {
        let delivery = state.delivery
        self.init(
            services: ConsoleServices(
                gateway: state, store: storage.store, documents: { await firestore.answer($0) },
                history: monitoring.history, explanations: monitoring.explanations, sender: sender,
                diagnoses: diagnoses, broadcaster: delivery.broadcaster, dispatcher: delivery.dispatcher,
                inbox: delivery.inbox, scripts: delivery.scripts, modules: systems.modules,
                devices: .all(systems, storage),
                sources: configuration.modules.sources + [FCMEndpoints.source, DirectSender.source],
                secrets: ConsoleSecrets(EnabledModules.available, and: WebhookTargets.collections),
                webhooks: delivery.webhooks.targets, webhookSender: delivery.webhooks.sender),
            access: ConsoleAccess(
                adminToken: storage.adminToken, readToken: configuration.admin.readToken,
                originGuard: checks.originGuard, now: { .now }),
            refusals: checks.refusals)
    }
}
