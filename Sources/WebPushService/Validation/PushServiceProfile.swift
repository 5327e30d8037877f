import Texts

/// The rules of one of the browsers' push services, by which requests are checked and answered.
public enum PushServiceProfile: String, CaseIterable, Sendable {
    /// Apple's service, for Safari.
    case apple
    /// Mozilla's autopush, for Firefox.
    case mozilla
    /// Google's FCM, for Chromium.
    case google
    /// Microsoft's WNS, for Edge.
    case microsoft
    /// RFC 8030, RFC 8188, RFC 8291 and RFC 8292, without the rules of one service.
    case standard

    /// Finds the service that a host belongs to; ``standard`` if it is none of these.
    public init(host: String) {
        let host = host.lowercased()
        self =
            Self.allCases.first { profile in
                profile.hosts.contains(host) || profile.hostSuffixes.contains { host.hasSuffix($0) }
            } ?? .standard
    }

    /// The names of the service's hosts.
    var hosts: [String] {
        switch self {
        case .google: ["fcm.googleapis.com", "jmt17.google.com", "android.googleapis.com"]
        case .apple, .mozilla, .microsoft, .standard: []
        }
    }

    /// The ends of the names of the service's hosts.
    var hostSuffixes: [String] {
        switch self {
        case .apple: [".push.apple.com"]
        case .mozilla: [".push.services.mozilla.com"]
        case .microsoft: [".notify.windows.com"]
        case .google, .standard: []
        }
    }

    /// The name of the host in the endpoints that the service gives to browsers; `nil` for ``standard``.
    var endpointHost: String? {
        switch self {
        case .apple: "web.push.apple.com"
        case .mozilla: "updates.push.services.mozilla.com"
        case .google: "fcm.googleapis.com"
        case .microsoft: "wns2-par02p.notify.windows.com"
        case .standard: nil
        }
    }

    /// The longest lifetime of a message, in seconds.
    var longestTimeToLive: Int64 { self == .google ? 28 * 86_400 : 30 * 86_400 }

    /// `true` if a longer lifetime is refused; `false` if it is shortened (RFC 8030 §5.2).
    var refusesLongTimeToLive: Bool { self == .apple || self == .google }

    /// `true` if each request must have credentials; `false` if only requests to a subscription for one key must.
    var requiresIdentity: Bool { self != .mozilla && self != .standard }
}

/// The path of an endpoint, in the form of each service.
struct EndpointPath: Hashable, Sendable {
    /// The service whose form the path has.
    let service: PushServiceProfile
    /// The capability in the path, which names the subscription.
    let token: String

    /// Reads a path with its query; `nil` if it is no endpoint's.
    init?(_ path: String) {
        for (service, prefix) in Self.prefixes where path.hasPrefix(prefix) {
            let token = String(path.dropFirst(prefix.count))
            guard Self.isToken(token) else { return nil }
            self.init(service: service, token: token)
            return
        }
        return nil
    }

    private init(service: PushServiceProfile, token: String) {
        self.service = service
        self.token = token
    }

    /// Returns the path of a subscription's endpoint.
    ///
    /// - Parameter isRestricted: `true` if the subscription is for one application server key.
    static func path(_ service: PushServiceProfile, token: String, isRestricted: Bool) -> String {
        switch service {
        case .mozilla: (isRestricted ? "/wpush/v2/" : "/wpush/v1/") + token
        case .google: "/fcm/send/" + token
        case .microsoft: "/w/?token=" + token
        case .standard: "/push/" + token
        case .apple: "/" + token
        }
    }

    /// The beginnings of paths. Apple's endpoints have the token alone, so its row is the last one.
    private static let prefixes: [(PushServiceProfile, String)] = [
        (.mozilla, "/wpush/v1/"), (.mozilla, "/wpush/v2/"), (.google, "/fcm/send/"), (.google, "/wp/"),
        (.microsoft, "/w/?token="), (.standard, "/push/"), (.apple, "/"),
    ]

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isBase64URL || $0 == UInt8(ascii: ":") }
    }
}
