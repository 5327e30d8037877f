/// The values of `apns-push-type`, and the requirements of each on the rest of a request
/// ([Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)).
enum APNsPushType: String, Sendable, CaseIterable {
    case alert, background, liveactivity, voip, complication, fileprovider, mdm, location, pushtotalk, widgets, controls

    /// The part of the topic after the app's bundle id; empty for types that use the bundle id itself.
    var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .liveactivity: ".push-type.liveactivity"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The suffixes that an app's topics may have.
    static let topicSuffixes = allCases.map(\.topicSuffix).filter { !$0.isEmpty }

    /// The maximum size of a payload in bytes.
    var maximumPayloadSize: Int { self == .voip ? 5_120 : 4_096 }
}
