/// The right of this device to the notifications of one agent, which it got by a code of `pushgate pair`.
///
/// The credential is good for the subscription of this device alone; store it in the Keychain. The server's secret is
/// not on the device. A ``PushServer`` is made of it.
public struct DevicePairing: Codable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The gateway that gave the credential.
    public let gateway: GatewayURL
    /// The credential.
    public let credential: PushSecret
    /// The server's key, by which the app finds the server of a notification.
    public let serverKey: String
    /// The agent's folder on its server.
    public let cwd: String
    /// The agent's name; `nil` if it has none.
    public let displayName: String?

    private enum CodingKeys: String, CodingKey {
        case gateway, credential, serverKey, cwd, displayName
    }

    init(gateway: GatewayURL, credential: PushSecret, serverKey: String, cwd: String, displayName: String?) {
        self.gateway = gateway
        self.credential = credential
        self.serverKey = serverKey
        self.cwd = cwd.trimmingBlanks()
        self.displayName = displayName
    }

    /// Returns `true` for the folder of the agent.
    func permits(_ cwd: String) -> Bool { self.cwd.utf8.elementsEqual(cwd.utf8) }

    /// Decodes a stored pairing.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard let gateway = GatewayURL(try fields.decode(String.self, forKey: .gateway)) else {
            throw DecodingError.dataCorruptedError(forKey: .gateway, in: fields, debugDescription: "no gateway's URL")
        }
        guard let credential = PushSecret(try fields.decode(String.self, forKey: .credential)) else {
            throw DecodingError.dataCorruptedError(forKey: .credential, in: fields, debugDescription: "no credential")
        }
        self.init(
            gateway: gateway, credential: credential, serverKey: try fields.decode(String.self, forKey: .serverKey),
            cwd: try fields.decode(String.self, forKey: .cwd),
            displayName: try fields.decodeIfPresent(String.self, forKey: .displayName))
    }

    /// Encodes the pairing with its credential, for the Keychain.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(gateway.text, forKey: .gateway)
        try fields.encode(credential.value, forKey: .credential)
        try fields.encode(serverKey, forKey: .serverKey)
        try fields.encode(cwd, forKey: .cwd)
        try fields.encodeIfPresent(displayName, forKey: .displayName)
    }

    /// The gateway only, because the credential is a secret and the folder is private.
    public var description: String { "a pairing with an agent at \(gateway)" }
    /// An empty mirror, because the credential is a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
