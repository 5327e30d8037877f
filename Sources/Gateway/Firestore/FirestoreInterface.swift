import DocumentStore
import FirestoreAPI
import GRPC
import Hummingbird
import Instance
import Logging
import RequestRules
import Server

/// Firestore's own interface over the gateway's databases: gRPC and REST, with the same rules of access.
struct FirestoreInterface: Sendable {
    /// The methods for calls over gRPC.
    let grpc: GRPCRouter
    /// The memory for large messages and bodies of calls.
    let memory = MessageMemory()
    private let route: FirestoreRoute

    /// Creates the interface. If the gateway does not serve it, it is there for the gateway's own database, and to say
    /// so to clients: they wait for ever for a server that does not speak gRPC.
    init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ originGuard: OriginGuard,
        _ refusals: RefusalLog, _ logger: Logger
    ) {
        let service = FirestoreService(
            engine: storage.databases, redaction: .tokens, server: storage.key.serverNumber,
            indexAdvice: configuration.firestore.indexWarnings ? IndexAdvisor(logger: logger) : nil, logger: logger)
        let access = FirestoreAccess(configuration, storage, originGuard)
        grpc = FirestoreGRPC(service, access: access, refusals: refusals).router
        route = FirestoreRoute(service, access: access, memory: memory, refusals: refusals)
    }

    /// Answers a request of the operator: with all access to the databases that are served, and with the gateway's own
    /// as it is shown, without device tokens.
    func answer(_ request: RESTRequest) async -> RESTAnswer { await route.answer(request) }

    func add(to router: Router<GatewayRequestContext>) { router.add(middleware: route) }
}

extension FirestoreAccess {
    fileprivate init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ originGuard: OriginGuard
    ) {
        self.init(
            isServed: configuration.servesFirestore, adminToken: storage.adminToken,
            tokens: storage.accessTokens,
            clientAddress: originGuard.clientAddress, allowedPeers: configuration.firestore.allowedPeers,
            origins: FirestoreOrigins(
                policy: originGuard.policy, allowed: configuration.firestore.allowedOrigins,
                clientAddress: originGuard.clientAddress))
    }
}
