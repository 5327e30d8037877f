import Cryptography
package import Messaging

/// The text that stands for a subscription where a registration token is expected.
///
/// `webpush:{endpoint}.{p256dh}.{auth}`, each part in base64url. It has none of the characters that end a path or an
/// argument, and no other service's tokens have this form. A subscription has one such text, so that texts compare as
/// subscriptions do.
package enum SubscriptionToken {
    private static let prefix = "webpush:"
    private static let (publicKeyName, secretName) = ("p256dh", "auth")
    private static let form = "\(prefix){endpoint}.{\(publicKeyName)}.{\(secretName)}"
    /// The name of the app in addresses. The subscription's site is known to the browser alone.
    private static let app = "web"

    /// Returns the text of a subscription.
    package static func text(of subscription: WebPushSubscription) -> RegistrationToken {
        let parts = [
            Base64URL.encode(subscription.endpoint.url.utf8), subscription.keys.p256dh, subscription.keys.auth,
        ]
        return RegistrationToken(prefix + parts.joined(separator: "."))
    }

    /// Returns `true` if a text begins as such a token does. Even if it is none, no other service may get it: it may
    /// have the keys of a subscription.
    package static func isMeant(by text: RegistrationToken) -> Bool { text.value.utf8.starts(with: prefix.utf8) }

    /// Returns the subscription of a text; `nil` for any other text, also one that is spelled in another way.
    package static func subscription(of text: RegistrationToken) -> WebPushSubscription? {
        guard isMeant(by: text) else { return nil }
        return try? read(text)
    }

    /// Returns the reason why a text that begins as such a token does is none; `nil` for any other text.
    static func problem(with text: RegistrationToken) -> SubscriptionError? {
        guard isMeant(by: text) else { return nil }
        do throws(SubscriptionError) {
            _ = try read(text)
            return nil
        } catch {
            return SubscriptionError(nil, "begins with \(prefix) and is no subscription: \(error)")
        }
    }

    private static func read(_ text: RegistrationToken) throws(SubscriptionError) -> WebPushSubscription {
        let parts = text.value.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw SubscriptionError(nil, "must have three parts, \(form)")
        }
        guard let url = Base64URL.decode(parts[0]) else {
            throw SubscriptionError("endpoint", "must be a URL in base64url")
        }
        let endpoint = try WebPushEndpoint(String(decoding: url, as: UTF8.self))
        let keys = try ReceiverKeys(p256dh: String(parts[1]), auth: String(parts[2]))
        let subscription = WebPushSubscription(endpoint: endpoint, keys: keys)
        guard self.text(of: subscription).value == text.value else {
            throw SubscriptionError(
                nil, "must have base64url without padding, and an endpoint in small letters without the standard port")
        }
        return subscription
    }

    /// Returns the parts of an address: the endpoint as the token, the keys as its secrets, and the lane of its server
    /// as the environment. A client has no part in these: names of its own would be lanes of its own. A text that is no
    /// subscription is the token, in one of the lanes that strangers' hosts share.
    package static func parts(of text: RegistrationToken) -> TokenForms.Parts {
        guard let subscription = subscription(of: text) else {
            return TokenForms.Parts(
                token: text,
                attributes: AddressAttributes(app: AppIdentity(bundleID: app, environment: HostLane.name(of: ""))))
        }
        let endpoint = subscription.endpoint
        return TokenForms.Parts(
            token: RegistrationToken(endpoint.url),
            attributes: AddressAttributes(
                app: AppIdentity(
                    bundleID: app, environment: HostLane.name(of: endpoint.host, port: endpoint.port)),
                secrets: [publicKeyName: subscription.keys.p256dh, secretName: subscription.keys.auth]))
    }

    /// Returns the lane of a host's endpoints.
    package static func lane(named name: String) -> Lane {
        Lane(transport: .webPush, app: AppIdentity(bundleID: app, environment: name))
    }

    /// Returns the subscription of an address.
    package static func subscription(of address: PushAddress) throws(SubscriptionError) -> WebPushSubscription {
        let secrets = address.attributes.secrets
        let keys = try ReceiverKeys(p256dh: secrets[publicKeyName] ?? "", auth: secrets[secretName] ?? "")
        return WebPushSubscription(endpoint: try WebPushEndpoint(address.token.value), keys: keys)
    }
}
