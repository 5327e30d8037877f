internal import Cryptography

/// The secret that a gateway signs with what it hands out and wants to know again: 32 bytes, of which each use has a key of its
/// own.
struct GatewayKey: Sendable {
    static let byteCount = 32

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// For registration tokens.
    var registrationTokens: [UInt8] { derived(for: "registration-tokens") }

    /// For access tokens.
    var accessTokens: [UInt8] { derived(for: "access-tokens") }

    /// For the tokens of human tasks' devices.
    var humanTaskTokens: [UInt8] { derived(for: "human-task-tokens") }

    private func derived(for use: String) -> [UInt8] { HMACSHA256.code(for: Array(use.utf8), key: bytes) }
}
