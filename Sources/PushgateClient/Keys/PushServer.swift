/// A server for which push is enabled.
public struct PushServer: Hashable, Sendable {
    /// The app's own id of it; chats name it as their ``Chat/serverID``.
    public let id: String
    public let secret: PushSecret
    public let gateway: GatewayURL

    public init(id: String, secret: PushSecret, gateway: GatewayURL) {
        self.id = id
        self.secret = secret
        self.gateway = gateway
    }
}

/// Where the app keeps its servers and their secrets: on iOS the Keychain. The app implements it.
public protocol PushServerDirectory: Sendable {
    /// Every server for which push is enabled, that is, which has a secret.
    ///
    /// - Throws: when they cannot be read now, as before the phone's first unlock. An empty list means that there are none.
    func servers() async throws -> [PushServer]
}
