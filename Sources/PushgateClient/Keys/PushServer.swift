import Foundation

/// A server for which push is enabled.
public struct PushServer: Hashable, Sendable {
    /// The app's own id of the server, which is the ``Chat/serverID`` of its chats.
    public let id: String
    /// The secret that the server shares with its devices, or the credential of a paired one.
    public let secret: PushSecret
    /// The gateway that the server uses.
    public let gateway: GatewayURL
    /// The pairing by which this device is subscribed to one agent of the server; `nil` if it has the server's secret.
    public let pairing: DevicePairing?

    /// Takes any id that no other server of the app has. It does not leave the device.
    public init(id: String, secret: PushSecret, gateway: GatewayURL) {
        self.id = id
        self.secret = secret
        self.gateway = gateway
        pairing = nil
    }

    /// Makes a server of a pairing, with which only the chat of ``DevicePairing/cwd`` can be subscribed to. When it is
    /// unsubscribed, the pairing ends.
    public init(id: String, pairing: DevicePairing) {
        self.id = id
        secret = pairing.credential
        gateway = pairing.gateway
        self.pairing = pairing
    }

    /// The server's key in the gateway, and the `server_key` of its notifications.
    public var serverKey: String { pairing?.serverKey ?? secret.serverKey }

    /// Returns `true` if this device may subscribe to a folder of the server.
    func permits(_ cwd: String) -> Bool { pairing?.permits(cwd) ?? true }
}

/// The app's store of servers and their secrets, on iOS the Keychain. The app implements it.
public protocol PushServerDirectory: Sendable {
    /// Returns every server for which push is enabled, that is, which has a secret.
    ///
    /// - Throws: An error if the servers cannot be read now, for example before the device's first unlock. An empty
    ///   list means that there are none.
    func servers() async throws -> [PushServer]
}

/// A server's secret (`CODEAGENTS_PUSH_SECRET`), which identifies and authenticates the server. Its daemon and its
/// devices share it.
///
/// It permits subscribing, unsubscribing and triggering. Store it in the Keychain. Its description is `<redacted>`.
public struct PushSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of random bytes in a new secret.
    public static let byteCount = 32

    /// The trimmed text, the value after `Authorization: Bearer`.
    public let value: String

    /// Creates a secret; `nil` if the text is blank, or has characters that an HTTP header cannot contain in one word:
    /// inner white space, control characters, non-ASCII characters.
    public init?(_ text: String) {
        let trimmed = text.trimmingBlanks()
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        value = trimmed
    }

    private init(bytes: [UInt8]) { value = Data(bytes).base64EncodedString() }

    /// Returns a new secret: 32 bytes of the system's random numbers in base64, which are 44 characters.
    public static func random() -> PushSecret {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Returns a new secret from the generator's numbers, so that tests can repeat it.
    public static func random(using generator: inout some RandomNumberGenerator) -> PushSecret {
        PushSecret(bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// The server's key in the gateway, and the `server_key` of notifications.
    public var serverKey: String { PushKeys.serverKey(secret: value) }

    /// `<redacted>`, so that logs do not show the secret.
    public var description: String { "<redacted>" }
    /// An empty mirror, so that dumps do not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
