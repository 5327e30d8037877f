internal import Foundation

/// `CODEAGENTS_PUSH_SECRET`: the name and the password of a server in one, shared by its daemon and its phones.
///
/// Whoever has it may subscribe, unsubscribe and trigger. Keep it in the Keychain. It prints as `<redacted>`.
public struct PushSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// How many random bytes a new secret is made of.
    public static let byteCount = 32

    /// The trimmed text, as it goes into `Authorization: Bearer`.
    public let value: String

    /// - Returns: nil when the text is blank, or has what no header of HTTP can carry as one word: white space inside,
    ///   control characters, anything that is not ASCII.
    public init?(_ text: String) {
        let trimmed = text.trimmingBlanks()
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        value = trimmed
    }

    private init(bytes: [UInt8]) { value = Data(bytes).base64EncodedString() }

    /// A new secret: 32 bytes of the system's random numbers in base64, 44 characters.
    public static func random() -> PushSecret {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A new secret of the generator's numbers; for tests, a generator that repeats.
    public static func random(using generator: inout some RandomNumberGenerator) -> PushSecret {
        PushSecret(bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// What the gateway calls this server, and what notifications carry as `server_key`.
    public var serverKey: String { PushKeys.serverKey(secret: value) }

    public var description: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
