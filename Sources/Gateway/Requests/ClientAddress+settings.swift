import Logging
import Server

extension ClientAddress {
    /// Creates the resolver of a gateway. It writes at most one line a minute.
    init(_ configuration: HTTPSection, _ logger: Logger) {
        self.init(
            trustedProxies: configuration.trustedProxies, localPeers: configuration.localPeers,
            field: configuration.forwardedField, log: LimitedLog(linesPerMinute: 1, logger: logger))
    }
}
