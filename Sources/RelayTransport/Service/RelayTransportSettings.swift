import HTTP2Client
import Messaging
package import Settings
package import WebPush

/// The settings of the transport to authors' relays. The list of relays switches it on.
package struct RelayTransportSettings: PushServiceSettings {
    /// The settings as they are written.
    package var written: Written

    package init(hosts: [RelayHosts.Entry]) {
        written = Written()
        written.hosts = hosts
    }

    /// Reads the settings; `nil` without relays.
    package init?(_ settings: SettingsReader, apps: [[String: String]]) throws(ConfigurationError) {
        var written = Written()
        try written.apply(settings)
        guard !written.hosts.isEmpty else {
            guard let other = written.firstBesideHosts else { return nil }
            throw settings.problem(
                Written.hostsKey, "is missing; \(AuthorRelayService.keys.prefix)\(other) has no effect without it")
        }
        self.written = written
    }

    package var authorityFile: (key: String, path: String)? {
        written.caFile.map { (key: AuthorRelayService.keys.prefix + Written.caFileKey, path: $0) }
    }
    package var trustsSystem: Bool { written.caFile == nil }

    /// The relays that addresses may name.
    package var hosts: RelayHosts { RelayHosts(written.hosts) }

    /// The servers that stand in for hosts.
    var connectTo: [String: String] {
        Dictionary(written.connectTo.map { ($0.host, $0.server.hostAndPort) }) { first, _ in first }
    }

    package func needsRestart(for new: RelayTransportSettings) -> Bool {
        written.caFile != new.written.caFile || written.connectTo != new.written.connectTo
    }
}

extension RelayTransportSettings {
    /// The settings as they are written.
    package struct Written: DeclaredSettings {
        package var hosts: [RelayHosts.Entry] = []
        package var caFile: String?
        package var connectTo: [ServerSubstitute] = []

        static let hostsKey = "hosts"
        static let caFileKey = "caFile"
        private static let connectToKey = "connectTo"

        package static let settings: [Setting<Written>] = [
            Setting(
                hostsKey, \.hosts,
                .list(
                    "list of hosts and the word `*`",
                    of: "a relay like push.example.com, *.example.com or 192.168.1.5:8443, or * for any public one",
                    { RelayHosts.Entry($0) }),
                effect: .reload, "The relays of apps' authors that phones may name; switches sending to them on"),
            Setting(
                caFileKey, optional: \.caFile, .text("path"), absent: "the system's authorities",
                "A PEM file of other authorities to trust"),
            Setting(
                connectToKey, \.connectTo,
                .list(
                    "list of hosts and servers", of: "a host and a server like push.example.com=127.0.0.1:8443",
                    { ServerSubstitute($0) }),
                "Servers that stand in for relays, for tests"),
        ]

        package init() {}

        /// The key of a setting other than the relays that differs from its default; `nil` if none does.
        fileprivate var firstBesideHosts: String? {
            if caFile != nil { return Self.caFileKey }
            return connectTo.isEmpty ? nil : Self.connectToKey
        }
    }
}
