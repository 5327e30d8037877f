public import Foundation

/// The way from the relay to this device.
public enum RelayTarget: Hashable, Sendable {
    /// A device token of APNs in hexadecimal, with the app that it is of. The relay needs the bundle id.
    case apns(token: String, bundleID: String?, environment: AppBuild.APNsEnvironment?)
    /// A registration token of FCM.
    case fcm(token: String)
    /// A subscription of Web Push, for example of a UnifiedPush distributor.
    case webPush(endpoint: URL, p256dh: String, auth: String)

    /// Takes a token by its form, as gateways do: an even number of hexadecimal digits, 32 or more, is one of APNs.
    public init(token: String, build: AppBuild) {
        if token.utf8.count >= 32, token.utf8.count.isMultiple(of: 2), token.allSatisfy(\.isHexDigit) {
            self = .apns(token: token, bundleID: build.bundleID, environment: build.apnsEnvironment)
        } else {
            self = .fcm(token: token)
        }
    }
}

/// The text that the device shows of a notification that the app cannot open, for example before the first unlock.
///
/// The relay knows it, so it says nothing about the notification. Take it from the app's translations.
public struct RelayNeutralText: Hashable, Sendable, Encodable {
    /// The title: 60 bytes at most, in JSON with its quotation marks.
    public let title: String
    /// The text below the title, of the same size at most; `nil` for none.
    public let body: String?

    /// Takes the texts in the user's language.
    public init(title: String, body: String? = nil) {
        self.title = title
        self.body = body
    }
}

/// The body of a registration at a relay.
struct RelayRegistrationBody: Encodable {
    let target: RelayTarget
    /// The part for cards; `nil` for a device that shows none.
    var liveActivity: LiveActivityRegistration?
    let proof: RelayAdmissionProof?
    var text: RelayNeutralText?

    private enum CodingKeys: String, CodingKey {
        case apns, fcm, admission, text
        case webPush = "web_push"
        case liveActivity = "live_activity"
    }

    private struct Subscription: Encodable {
        let endpoint: String
        let keys: [String: String]
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch target {
        case .apns(let token, let bundleID, let environment):
            var app = ["token": token]
            app["bundle_id"] = bundleID
            app["environment"] = environment?.rawValue
            try fields.encode(app, forKey: .apns)
            // Only Apple's phones have cards.
            try fields.encodeIfPresent(liveActivity.map(RelayedLiveActivity.init), forKey: .liveActivity)
        case .fcm(let token): try fields.encode(["token": token], forKey: .fcm)
        case .webPush(let endpoint, let p256dh, let auth):
            let keys = ["p256dh": p256dh, "auth": auth]
            try fields.encode(Subscription(endpoint: endpoint.absoluteString, keys: keys), forKey: .webPush)
        }
        try fields.encodeIfPresent(proof, forKey: .admission)
        try fields.encodeIfPresent(text, forKey: .text)
    }
}
