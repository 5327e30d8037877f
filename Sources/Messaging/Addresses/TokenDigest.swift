/// A digest that identifies a token but cannot be used to send.
struct TokenDigest: Hashable, Sendable {
    private let digest: HalfDigest

    init(_ token: RegistrationToken) { digest = HalfDigest(of: token.canonical.value.utf8) }

    /// Reads a digest.
    ///
    /// - Parameter text: 32 hexadecimal digits, in the form of ``description``.
    init?(_ text: String) {
        guard let digest = HalfDigest(text) else { return nil }
        self.digest = digest
    }
}

extension TokenDigest: CustomStringConvertible {
    var description: String { digest.description }
}
