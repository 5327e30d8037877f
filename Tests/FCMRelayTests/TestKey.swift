import Cryptography

enum TestKey {
    /// A key shared by all tests, because generating one is slow.
    static let shared = Result { try RS256PrivateKey.generate() }
}
