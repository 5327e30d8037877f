package import DocumentStore

/// One device that receives a message: its address, and the document that is removed if the token is invalid.
package struct Target: Hashable, Sendable {
    /// The destination of the notification.
    package let address: Address
    /// The registration document; `nil` if there is none.
    package let registration: DocumentPath?

    /// Creates a target.
    package init(address: Address, registration: DocumentPath?) {
        self.address = address
        self.registration = registration
    }
}

/// The destination of a notification: a token, and the lane that leads to it.
package struct Address: Hashable, Sendable {
    /// The token by which the push service knows the app on the device.
    package let token: RegistrationToken
    /// The transport, app and environment of the token.
    package let lane: Lane

    /// Creates an address of a known lane.
    package init(token: RegistrationToken, lane: Lane) {
        self.token = token
        self.lane = lane
    }

    /// Creates the address for a token as an app sent it.
    ///
    /// - A token that begins with `emulated:` goes to the inbox of this gateway, whatever its configuration.
    /// - An even number of hexadecimal digits, at least 32, is an APNs device token (APNs fixes no length).
    /// - Any other token was made by FCM.
    ///
    /// - Parameters:
    ///   - topic: the app's bundle id, if the app named it.
    ///   - environment: the APNs environment, if the app named it.
    package init(token: String, topic: String? = nil, environment: APNsEnvironment? = nil) {
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
