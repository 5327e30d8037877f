internal import JSON
internal import Messaging

extension APNsPushType {
    /// The push type of a message; nil when the one it names is none of Apple's.
    init?(of message: Message) {
        if let name = message.apns?.header("apns-push-type") {
            self.init(rawValue: name)
        } else {
            self = Self.implied(by: message)
        }
    }

    /// `background` for what only wakes the app, else `alert`; what goes to a Live Activity's token is an activity's.
    private static func implied(by message: Message) -> APNsPushType {
        if message.apns?.liveActivityToken != nil { return .liveactivity }
        guard message.apns?.payload["aps"]?["content-available"]?.double == 1 else { return .alert }
        let aps = APNsPayload.aps(for: message)
        return ["alert", "sound", "badge"].allSatisfy { aps[$0] == nil } ? .background : .alert
    }
}
