/// The destinations to which the proxy opens tunnels: hosts, each with port 443.
package struct ConnectDestinations: Sendable {
    /// The names of the hosts, in lower case.
    let hosts: [String]
    /// The text of every refusal after its reason, for the person who configured the client.
    let purpose: String

    /// Creates the destinations.
    ///
    /// - Parameters:
    ///   - hosts: The names of the hosts, in lower case.
    ///   - purpose: The text of every refusal after its reason.
    package init(hosts: [String], purpose: String) {
        self.hosts = hosts
        self.purpose = purpose
    }
}
