import Cryptography
import IPAddresses

/// A push service, or a family of them, with rules of its own beside those of RFC 8030.
///
/// The host of the endpoint decides, by its suffix: services have many hosts, and add others. A host of none of them
/// follows the RFC, as the distributors of UnifiedPush do.
package enum ServiceProfile: String, CaseIterable, Sendable {
    /// Apple's, for Safari on all systems.
    case apple
    /// Mozilla's autopush, for Firefox.
    case mozilla
    /// Google's, for Chrome and most other browsers.
    case google
    /// Microsoft's WNS, for Edge.
    case microsoft
    /// The public server of ntfy, a distributor of UnifiedPush.
    case ntfy
    /// Any other.
    case plain

    /// Returns the profile of a host in lower case.
    package init(host: String) {
        let owner = Self.allCases.first { $0.domains.contains { host == $0 || host.hasSuffix("." + $0) } } ?? .plain
        // Apple's service for the devices of its own apps is below the same name, and is none for browsers.
        self = owner == .apple && host.hasPrefix("api.") ? .plain : owner
    }

    private var domains: [String] {
        switch self {
        case .apple: ["push.apple.com"]
        case .mozilla: ["push.services.mozilla.com"]
        case .google: ["googleapis.com", "google.com"]
        case .microsoft: ["notify.windows.com"]
        case .ntfy: ["ntfy.sh"]
        case .plain: []
        }
    }

    /// The longest time for which the service keeps a message, in seconds. Some refuse a longer one.
    package var longestTTL: Int64 {
        switch self {
        case .apple, .mozilla: 30 * 86_400
        case .google, .microsoft, .ntfy, .plain: 28 * 86_400
        }
    }

    /// The hosts of which it is known that they exist and speak HTTP/2, on the standard port, with the names of their
    /// lanes. Clients can name other hosts of the same domain, and other ports, which need not be a push service. So
    /// only the answers and the trouble of these tell about the service. One of two may be in trouble alone.
    package static let mainHosts = [
        "web.push.apple.com": "apple", "updates.push.services.mozilla.com": "mozilla", "fcm.googleapis.com": "google",
        "jmt17.google.com": "google-jmt17",
    ]

    /// Returns `true` for a main host, on the standard port.
    static func isMain(_ host: String, port: Int) -> Bool { port == 443 && mainHosts[host] != nil }

    /// `true` for a service whose endpoints have hosts that are known.
    var hasMainHosts: Bool { Self.mainHosts.keys.contains { Self(host: $0) == self } }
}

/// The lanes of endpoints: one for each main host and each known service without any, and a fixed number for all other
/// hosts.
///
/// Strangers name hosts. A lane for each of them would fill memory, and one lane for all would let a slow host stall
/// the others. Therefore all hosts of a domain, which has one owner, are in one of a few lanes.
package enum HostLane {
    /// The number of lanes for all other hosts.
    package static let count = 32

    /// Returns the name of the lane of a server, such as `apple` or `other-07`.
    package static func name(of host: String, port: Int = 443) -> String {
        if ServiceProfile.isMain(host, port: port), let name = ServiceProfile.mainHosts[host] { return name }
        let profile = ServiceProfile(host: host)
        guard profile == .plain || profile.hasMainHosts else { return profile.rawValue }
        let number = SHA256.withDigest(of: domain(of: host).utf8) { Int($0[0]) } % count
        return number < 10 ? "other-0\(number)" : "other-\(number)"
    }

    /// Returns `true` for the lane of a main host.
    static func isOfMainHost(_ name: String) -> Bool { ServiceProfile.mainHosts.values.contains(name) }

    /// Returns `true` for a lane of hosts that strangers choose.
    package static func isShared(_ name: String) -> Bool {
        !isOfMainHost(name) && ServiceProfile(rawValue: name).map { $0 == .plain } ?? true
    }

    /// Returns the part of a host's name that has one owner, who can have any number of names below it for nothing. It
    /// is a guess: the last two labels, or three in a country's domain with a second level, such as `co.uk`. A wrong
    /// guess puts more hosts into a lane. Addresses have one owner by network: 256 of IPv4, and those of IPv6 with 48
    /// bits in common, which one site has (RFC 6177).
    package static func domain(of host: String) -> String {
        if let address = IPAddress(host) { return network(of: address) }
        let labels = host.split(separator: ".")
        guard labels.count > 2 else { return host }
        let isOfCountry =
            labels[labels.count - 1].utf8.count == 2 && secondLevels.contains(String(labels[labels.count - 2]))
        return String(host[labels[labels.count - (isOfCountry ? 3 : 2)].startIndex...])
    }

    /// The second levels of countries' domains, as in `co.uk`.
    private static let secondLevels: Set<String> = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "mil", "ne", "net", "or", "org",
    ]

    private static func network(of address: IPAddress) -> String {
        let length = address.bytes.count == 4 ? 3 : 6
        let bytes = address.bytes[..<length] + [UInt8](repeating: 0, count: address.bytes.count - length)
        return IPAddress(bytes: bytes).map { "\($0.canonicalText)/\(length * 8)" } ?? address.canonicalText
    }
}
