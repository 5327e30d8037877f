package import Messaging

extension TransportName {
    /// Web Push: the services of all browsers, and the distributors of UnifiedPush.
    package static let webPush = TransportName(rawValue: "webpush")
}
