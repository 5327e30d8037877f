package import JSON
package import Messaging

/// A browser's subscription, as `PushSubscription.toJSON()` gives it
/// ([Push API §8.1](https://www.w3.org/TR/push-api/#pushsubscription-interface)).
package struct WebPushSubscription: Hashable, Sendable {
    /// The URL that takes its messages.
    package let endpoint: WebPushEndpoint
    /// The keys that its messages are encrypted for.
    package let keys: ReceiverKeys

    package init(endpoint: WebPushEndpoint, keys: ReceiverKeys) {
        self.endpoint = endpoint
        self.keys = keys
    }

    /// Reads `{"endpoint": …, "keys": {"p256dh": …, "auth": …}}`. Other members, such as `expirationTime`, have no
    /// effect: the push service says when a subscription has ended.
    package init(_ json: JSONValue) throws(SubscriptionError) {
        guard json.object != nil else { throw SubscriptionError(nil, "must be an object") }
        guard let endpoint = json["endpoint"]?.string else { throw SubscriptionError("endpoint", "must be a text") }
        self.endpoint = try WebPushEndpoint(endpoint)
        guard let keys = json["keys"], keys.object != nil else { throw SubscriptionError("keys", "must be an object") }
        guard let p256dh = keys["p256dh"]?.string else { throw SubscriptionError("keys.p256dh", "must be a text") }
        guard let auth = keys["auth"]?.string else { throw SubscriptionError("keys.auth", "must be a text") }
        self.keys = try ReceiverKeys(p256dh: p256dh, auth: auth)
    }
}
