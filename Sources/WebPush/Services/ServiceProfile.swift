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

    /// The hosts of which it is known that they exist and speak HTTP/2, on the standard port. Clients can name other
    /// hosts of the same domain, and other ports, which need not be a push service. So only the answers and the trouble
    /// of these tell about the service.
    package static let mainHosts: Set<String> = [
        "web.push.apple.com", "updates.push.services.mozilla.com", "fcm.googleapis.com", "jmt17.google.com",
    ]
}

/// The lanes of endpoints: one for each known service, and a fixed number for all other hosts.
///
/// Strangers name hosts. A lane for each of them would fill memory, and one lane for all would let a slow host stall
/// the others. Therefore all hosts of a domain, which has one owner, are in one of a few lanes.
package enum HostLane {
    /// The number of lanes for hosts of no known service.
    package static let count = 32

    /// Returns the name of a host's lane, such as `apple` or `other-07`.
    package static func name(of host: String) -> String {
        let profile = ServiceProfile(host: host)
        guard profile == .plain else { return profile.rawValue }
        let number = SHA256.withDigest(of: domain(of: host).utf8) { Int($0[0]) } % count
        return number < 10 ? "other-0\(number)" : "other-\(number)"
    }

    /// Returns `true` for the lane of hosts that strangers own.
    package static func isShared(_ name: String) -> Bool {
        ServiceProfile(rawValue: name).map { $0 == .plain } ?? true
    }

    /// Returns the part of a host's name that has one owner, who can have any number of names below it for nothing. It
    /// is a guess: the last two labels, or three in a country's domain with a second level, such as `co.uk`. A wrong
    /// guess puts more hosts into a lane. Addresses have one owner by network: 256 of IPv4, /64 of IPv6.
    static func domain(of host: String) -> String {
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
        let length = address.bytes.count == 4 ? 3 : 8
        let bytes = address.bytes[..<length] + [UInt8](repeating: 0, count: address.bytes.count - length)
        return IPAddress(bytes: bytes).map { "\($0.canonicalText)/\(length * 8)" } ?? address.canonicalText
    }
}
