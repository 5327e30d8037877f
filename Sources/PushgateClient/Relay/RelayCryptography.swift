public import Foundation

/// The cryptography of a relay's client, over P-256 and AES. On Apple's systems it is ``CryptoKitCryptography``.
///
/// The library has no package of its own, so a program on another system brings these four functions, by OpenSSL or
/// swift-crypto. Private keys are numbers of 32 bytes, big-endian; public keys are uncompressed points of 65 bytes.
public protocol RelayCryptography: Sendable {
    /// Returns the public half of a key.
    ///
    /// - Throws: An error if the number is 0, or not below the order of the curve.
    func publicKey(of privateKey: Data) throws -> Data

    /// Returns the ECDSA signature of a message's SHA-256, as `r || s` of 64 bytes.
    func signature(for message: Data, by privateKey: Data) throws -> Data

    /// Returns the secret of two keys by ECDH: 32 bytes.
    ///
    /// - Throws: An error if the public key is no point on the curve.
    func sharedSecret(of privateKey: Data, with publicKey: Data) throws -> Data

    /// Decrypts by AES-128-GCM.
    ///
    /// - Parameter sealed: The encrypted bytes and their tag of 16 bytes.
    /// - Throws: An error if they were not made with this key and nonce.
    func open(_ sealed: Data, key: Data, nonce: Data) throws -> Data
}
