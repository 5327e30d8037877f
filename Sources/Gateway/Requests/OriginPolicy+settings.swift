import Functions
import IPAddresses
import Server

extension OriginPolicy {
    /// Creates the policy of a gateway from the names in its configuration.
    ///
    /// - Parameter certified: The names in its certificates.
    init(_ configuration: GatewayConfiguration, _ certified: [String] = []) {
        let urls = [configuration.http.publicURL] + configuration.modules.settings.map(\.publicURL)
        self.init(
            names: configuration.http.names + urls.compactMap { $0.flatMap(GatewayName.init(ofURL:)) }
                + certified.compactMap { GatewayName($0) },
            listensOnLoopbackOnly: IPAddress.isLoopback(host: configuration.http.host))
    }
}
