/// The destinations to which the proxy opens tunnels: hosts, each with port 443.
package struct ConnectDestinations: Sendable {
    /// The names of the hosts, in lower case.
    private let hosts: [String]
    /// The ends of the names of further hosts, in lower case.
    private let hostSuffixes: [String]
    /// The text of every refusal after its reason, for the person who configured the client.
    let purpose: String

    /// Creates the destinations.
    ///
    /// - Parameters:
    ///   - hosts: The names of the hosts, in lower case.
    ///   - hostSuffixes: The ends of the names of further hosts, in lower case, such as `.push.apple.com`.
    ///   - purpose: The text of every refusal after its reason.
    package init(hosts: [String], hostSuffixes: [String] = [], purpose: String) {
        self.hosts = hosts
        self.hostSuffixes = hostSuffixes
        self.purpose = purpose
    }

    /// Returns `true` if a tunnel to the host is opened.
    func contain(_ host: String) -> Bool {
        let host = host.lowercased()
        return hosts.contains(host) || hostSuffixes.contains { host.hasSuffix($0) }
    }
}
