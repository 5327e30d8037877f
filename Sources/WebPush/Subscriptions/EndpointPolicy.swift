package import IPAddresses
package import Messaging

/// The rules for the servers that subscriptions may name.
///
/// A stranger who can register makes the gateway connect to a server of his choice. So it connects to hosts on the
/// internet only, and to those that the operator has named. A name is not enough to decide: it can have any address,
/// and another one at each look-up. The address that is connected to decides.
package struct EndpointPolicy: Hashable, Sendable {
    private let allowedHosts: [AllowedHost]
    private let ports: Set<Int>

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - allowedHosts: The hosts that may have other addresses than those of the internet, and ports of their own.
    ///   - ports: The ports of all hosts.
    package init(allowedHosts: [AllowedHost] = [], ports: Set<Int> = [WebPushEndpoint.standardPort]) {
        self.allowedHosts = allowedHosts
        self.ports = ports
    }

    /// Throws an error if an endpoint has a port, an address in place of a name, or a name of the local network that is
    /// not allowed.
    package func check(_ endpoint: WebPushEndpoint) throws(SubscriptionError) {
        let (host, port) = (endpoint.host, endpoint.port)
        guard ports.contains(port) || allowedHosts.contains(where: { $0.names(host, port: port) }) else {
            let list = ports.sorted().map(String.init).joined(separator: ", ")
            throw SubscriptionError("endpoint", "must have an allowed port (\(list)), and has \(port)")
        }
        if ServiceProfile.mainHosts[host] != nil { return }
        guard let address = IPAddress(host) else {
            // The resolver would complete it by the domain of the gateway's own network.
            guard host.contains(".") || names(host) else {
                throw SubscriptionError("endpoint", "must have a host that is known on the internet, and has \(host)")
            }
            return
        }
        if let refusal = refusal(of: address, for: host) {
            throw SubscriptionError("endpoint", "must lead to a public address, and leads to \(refusal)")
        }
    }

    /// Returns `true` if the operator has named a host.
    package func names(_ host: String) -> Bool { allowedHosts.contains { $0.covers(host) } }

    /// Returns the kind of an address that a connection to a host must not use; `nil` if it may.
    package func refusal(of address: IPAddress, for host: String) -> String? {
        let use = address.use
        guard use != .public else { return nil }
        if !use.isNeverAllowed, names(host) { return nil }
        return use.words
    }
}

extension IPAddress.Use {
    /// `true` if no push service has such an address, so that the operator cannot have meant it. The service of a cloud
    /// hands out credentials.
    fileprivate var isNeverAllowed: Bool { [.metadata, .multicast, .unspecified].contains(self) }

    fileprivate var words: String {
        switch self {
        case .public: "a host on the internet"
        case .unspecified: "no host"
        case .loopback: "this machine"
        case .metadata: "the metadata service of a cloud"
        case .linkLocal: "a link-local address"
        case .private, .uniqueLocal: "a private network"
        case .shared: "the network of a provider"
        case .multicast: "a multicast group"
        case .documentation: "an address for documentation"
        case .reserved: "a reserved address"
        }
    }
}
