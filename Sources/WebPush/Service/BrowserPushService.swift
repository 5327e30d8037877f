import Cryptography
package import JSON
import Logging
package import Messaging
import Secrets
package import Settings
import Synchronization

/// Web Push: the push services of all browsers, and the distributors of UnifiedPush.
package struct BrowserPushService: PushService {
    package static let name = TransportName.webPush
    package static let keys = SettingKeys(below: "webpush.", WebPushSettings.Written.self)
    package static let fcmPlatform = "WEBPUSH"
    package static let platforms: Set<Message.Platform> = [.web]

    /// The name of the kept key.
    static let keyName = "webpush-key"

    /// The browsers whose services are known, with the names of their lanes.
    private static let browsers = [
        (name: "Safari", lane: "apple"), (name: "Chrome", lane: "google"),
        (name: "Chrome (jmt17.google.com)", lane: "google-jmt17"), (name: "Firefox", lane: "mozilla"),
        (name: "Edge", lane: "microsoft"),
    ]

    private let webPush: WebPushTransport
    private let client: WebPushClient
    private let policy: PolicyBox
    private let host: PushServiceHost
    /// `true` if the key was made at this start, so that no browser can have subscribed with it before.
    package let isKeyNew: Bool

    /// The rules for endpoints, which a reload replaces.
    private final class PolicyBox: Sendable {
        private let policy: Mutex<EndpointPolicy>

        init(_ policy: EndpointPolicy) { self.policy = Mutex(policy) }

        var current: EndpointPolicy { policy.withLock { $0 } }

        func replace(_ new: EndpointPolicy) { policy.withLock { $0 = new } }
    }

    package init(settings: WebPushSettings, host: PushServiceHost) throws(ConfigurationError) {
        if let file = settings.authorityFile { try host.checkAuthorities(at: file.path, key: file.key) }
        let policy = PolicyBox(settings.policy)
        if !settings.connectTo.isEmpty {
            host.logger.warning(
                "leading push services to other servers, as webpush.connectTo says; this is for tests alone",
                metadata: ["servers": "\(settings.written.connectTo.map(\.description).joined(separator: ", "))"])
        }
        client = WebPushClient(
            caFile: settings.written.caFile, connectTo: settings.connectTo, policy: { policy.current },
            logger: host.logger)
        let (sender, isKeyNew) = try Self.sender(settings, host)
        webPush = WebPushTransport(
            sender, client: client, policy: { policy.current }, now: host.now, logger: host.logger)
        self.isKeyNew = isKeyNew
        self.policy = policy
        self.host = host
    }

    package var transport: any PushTransport { webPush }

    /// The public key in base64url, which a page needs to subscribe: 87 characters.
    package var publicKey: String { webPush.identity.publicKey }

    package var senders: [PushSender] {
        let identity = webPush.identity
        let detail = "\(identity.subject), key \(identity.publicKey.prefix(12))…"
        return Self.browsers.map { browser in
            PushSender(
                name: browser.name, detail: detail, lane: SubscriptionToken.lane(named: browser.lane),
                pause: "the push service refuses the gateway's identity, or cannot be reached")
        }
    }

    package func change(to settings: WebPushSettings) throws(ConfigurationError) -> @Sendable () -> Void {
        let sender = try Self.sender(settings, host).sender
        let new = settings.policy
        return { [webPush, policy, client] in
            webPush.replace(sender)
            guard new != policy.current else { return }
            policy.replace(new)
            client.rulesHaveChanged()
        }
    }

    package func refusal(of address: PushAddress) -> SubscriptionError? {
        do throws(SubscriptionError) {
            try policy.current.check(try WebPushEndpoint(address.token.value))
            return nil
        } catch {
            return error
        }
    }

    package func shutdown() async { await client.shutdown() }

    package static func recognizes(_ token: RegistrationToken) -> Bool {
        SubscriptionToken.isMeant(by: token)
    }

    package static func parts(of text: RegistrationToken) -> TokenForms.Parts { SubscriptionToken.parts(of: text) }

    package static func problem(with text: RegistrationToken) -> SubscriptionError? {
        SubscriptionToken.problem(with: text)
    }

    package static func server(of address: PushAddress) -> String? {
        (try? WebPushEndpoint(address.token.value))?.origin
    }

    package static func token(
        ofSubscription json: JSONValue
    ) throws(SubscriptionError) -> RegistrationToken? {
        SubscriptionToken.text(of: try WebPushSubscription(json))
    }

    package static func rejection(of message: OutgoingMessage) -> Rejection? {
        WebPushTransport.rejection(of: message)
    }
}

/// The identity.
extension BrowserPushService {
    /// Returns the sender, and `true` if its key was made for this call.
    static func sender(
        _ settings: WebPushSettings, _ host: PushServiceHost
    ) throws(ConfigurationError) -> (sender: WebPushTransport.Sender, isKeyNew: Bool) {
        let (identity, isKeyNew) = try identity(settings, host)
        if isKeyNew {
            host.logger.notice(
                "made a key for Web Push; browsers that have subscribed with another one must subscribe again",
                metadata: ["key": "\(identity.publicKey)"])
        }
        let sender = WebPushTransport.Sender(
            identity: identity, form: settings.written.payload, navigation: settings.written.navigate ?? ownPage(host))
        return (sender, isKeyNew)
    }

    /// Returns the gateway's own page, which notifications open that name no other; `nil` if there is none.
    private static func ownPage(_ host: PushServiceHost) -> NavigationTemplate? {
        guard let url = host.publicURL, let path = host.browserPage else { return nil }
        return NavigationTemplate(url + path)
    }

    /// Returns the identity, and `true` if its key was made for this call.
    static func identity(
        _ settings: WebPushSettings, _ host: PushServiceHost
    ) throws(ConfigurationError) -> (identity: SenderIdentity, isKeyNew: Bool) {
        let configured = settings.written.privateKey?.value
        let key: (text: String, isNew: Bool)
        if let configured {
            key = (configured, false)
        } else {
            key = try keptKey(host)
        }
        do {
            let identity = try SenderIdentity(
                key: VAPIDKey.read(key.text), subject: settings.subject, now: host.now)
            return (identity, key.isNew)
        } catch {
            throw ConfigurationError(
                key: keys.prefix + WebPushSettings.Written.privateKeyKey,
                problem: configured == nil
                    ? "the key \(keyName) of the gateway is damaged (\(error.reason)). Restore it from a backup; "
                        + "without it every browser must subscribe again"
                    : "\(error.reason)")
        }
    }

    private static func keptKey(_ host: PushServiceHost) throws(ConfigurationError) -> (text: String, isNew: Bool) {
        var made: [UInt8]?
        let kept = try host.secret(keyName) { () throws(ConfigurationError) -> [UInt8] in
            let key = try newKey()
            made = key
            return key
        }
        // Another gateway may have made one at the same moment.
        return (String(decoding: kept, as: UTF8.self), kept == made)
    }

    private static func newKey() throws(ConfigurationError) -> [UInt8] {
        do {
            return Array(try ES256PrivateKey.generate().pem.utf8)
        } catch {
            throw ConfigurationError(
                key: keys.prefix + WebPushSettings.Written.privateKeyKey, problem: "cannot be made: \(error.reason)")
        }
    }
}
