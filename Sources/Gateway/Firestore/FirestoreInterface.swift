import DocumentStore
import FirestoreAPI
import GRPC
import Hummingbird
import Logging

/// Firestore's own interface over the gateway's databases: gRPC and REST, with the same rules of access.
struct FirestoreInterface: Sendable {
    /// The methods for calls over gRPC.
    let grpc: GRPCRouter
    private let route: FirestoreRoute

    /// Creates the interface; `nil` if the gateway does not serve it.
    init?(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ originGuard: OriginGuard, _ logger: Logger
    ) {
        guard configuration.servesFirestore else { return nil }
        let service = FirestoreService(
            engine: storage.databases, redact: { $0.redacted }, server: storage.key.serverNumber,
            indexAdvice: configuration.firestore.indexWarnings ? IndexAdvisor(logger: logger) : nil, logger: logger)
        let access = FirestoreAccess(configuration, storage, originGuard)
        grpc = FirestoreGRPC(service, access: access).router
        route = FirestoreRoute(service, access: access)
    }

    func add(to router: Router<GatewayRequestContext>) { router.add(middleware: route) }
}

extension FirestoreAccess {
    fileprivate init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ originGuard: OriginGuard
    ) {
        self.init(
            adminToken: storage.adminToken,
            tokens: AccessTokens(key: storage.key.accessTokens, now: { Timestamp.now.seconds }),
            clientAddress: originGuard.clientAddress, allowedPeers: configuration.firestore.allowedPeers,
            origins: FirestoreOrigins(
                policy: originGuard.policy, allowed: configuration.firestore.allowedOrigins,
                clientAddress: originGuard.clientAddress))
    }
}
