/// Where a notification goes: a token, and the lane that leads there.
public struct Address: Hashable, Sendable {
    public let token: RegistrationToken
    public let lane: Lane

    public init(token: RegistrationToken, lane: Lane) {
        self.token = token
        self.lane = lane
    }

    /// The address behind a token as an app sent it.
    ///
    /// - A token that begins with `emulated:` goes to the inbox of this gateway, whatever its configuration.
    /// - An even number of hexadecimal digits, 32 at least, is an APNs device token (APNs fixes no length).
    /// - Anything else was made by FCM.
    ///
    /// - Parameters:
    ///   - topic: the app's bundle id, when the app named it.
    ///   - environment: the APNs environment, when the app named it.
    public init(token: String, topic: String? = nil, environment: APNsEnvironment? = nil) {
        self.init(
            token: RegistrationToken(token),
            lane: Lane(transport: Self.transport(for: token), topic: topic, environment: environment))
    }

    private static func transport(for token: String) -> TransportName {
        if token.utf8.starts(with: "emulated:".utf8) { return .emulated }
        let length = token.utf8.count
        return length >= 32 && length.isMultiple(of: 2) && RegistrationToken(token).isHexadecimal ? .apns : .fcm
    }
}
