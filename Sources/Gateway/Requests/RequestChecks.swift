import Logging
import RequestRules
import Secrets
import Server

/// The checks of requests that the interfaces of a gateway share.
struct RequestChecks: Sendable {
    /// The check that a request comes from no page of another site.
    let originGuard: OriginGuard
    /// The log of the requests that are refused.
    let refusals: RefusalLog
    /// The check of the admin token.
    let admin: AdminAuthentication

    /// Creates the checks of a gateway.
    ///
    /// - Parameter certifiedNames: The names in the gateway's certificates.
    init(
        _ configuration: GatewayConfiguration, adminToken: RedactedString, certifiedNames: [String], _ logger: Logger
    ) {
        let clientAddress = ClientAddress(configuration.http, logger)
        originGuard = OriginGuard(
            policy: OriginPolicy(configuration, certifiedNames), clientAddress: clientAddress)
        refusals = RefusalLog(clientAddress: clientAddress, logger: logger)
        admin = AdminAuthentication(token: adminToken)
    }
}
