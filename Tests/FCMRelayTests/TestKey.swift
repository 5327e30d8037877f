import Cryptography

enum TestKey {
    /// One for all tests: making one takes a while.
    static let shared = Result { try RS256PrivateKey.generate() }
}
