import IPAddresses
package import Messaging
package import WebPush

/// The relays that addresses may name. No registration adds one.
package struct RelayHosts: Hashable, Sendable {
    /// An entry of the operator's list.
    package enum Entry: Hashable, Sendable {
        /// `*`: any host on the internet, on the standard port.
        case any
        /// A relay, which may have a private address and a port of its own.
        case relay(AllowedHost, RelayServer)
        /// The hosts below a name.
        case below(AllowedHost)

        /// Reads `*`, `relay.example.com`, `192.168.1.5:8443` or `*.example.com`; `nil` for any other text.
        package init?(_ text: String) {
            if text == "*" {
                self = .any
                return
            }
            guard let host = AllowedHost(text) else { return nil }
            if text.hasPrefix("*.") {
                self = .below(host)
            } else if let server = try? RelayServer(text[...]) {
                self = .relay(host, server)
            } else {
                return nil
            }
        }

        fileprivate var host: AllowedHost? {
            switch self {
            case .any: nil
            case .relay(let host, _), .below(let host): host
            }
        }
    }

    /// The relays that are named one by one.
    let servers: [RelayServer]
    private let hosts: [AllowedHost]
    private let takesAny: Bool
    private let policy: EndpointPolicy
    /// The lanes in which only one relay can be.
    private let ownLanes: Set<String>

    package init(_ entries: [Entry]) {
        servers = entries.compactMap { if case .relay(_, let server) = $0 { server } else { nil } }
        hosts = entries.compactMap(\.host)
        takesAny = entries.contains(.any)
        policy = EndpointPolicy(allowedHosts: hosts)
        let areAllNamed = servers.count == entries.count
        let lanes = Dictionary(grouping: Set(servers)) { RelayLane.name(of: $0) }
        ownLanes = areAllNamed ? Set(lanes.filter { $0.value.count == 1 }.keys) : []
    }

    /// Throws an error if a relay is not allowed.
    package func check(_ server: RelayServer) throws(SubscriptionError) {
        guard takesAny || hosts.contains(where: { $0.covers(server.host) }) else {
            throw SubscriptionError(
                RelayField.address, "must name a relay of this gateway's relay.hosts, and names \(server)")
        }
        do throws(SubscriptionError) {
            try policy.check(try server.endpoint)
        } catch {
            throw SubscriptionError(RelayField.address, error.requirement)
        }
    }

    /// Returns the kind of an address that a connection to a host must not use; `nil` if it may.
    func refusal(of address: IPAddress, for host: String) -> String? { policy.refusal(of: address, for: host) }

    /// Returns `true` if the operator has named a host.
    func names(_ host: String) -> Bool { policy.names(host) }

    /// Returns `true` if no other relay can be in a lane, so that it may be held up as a whole.
    func isOfOneRelay(_ lane: Lane) -> Bool { ownLanes.contains(lane.app.environment ?? "") }
}
