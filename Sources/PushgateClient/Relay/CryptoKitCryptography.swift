#if canImport(CryptoKit)
    internal import CryptoKit
    public import Foundation

    /// The cryptography of a relay's client by CryptoKit.
    public struct CryptoKitCryptography: RelayCryptography {
        /// Takes no settings: the keys come with each call.
        public init() {}

        /// Returns the public half of a key.
        public func publicKey(of privateKey: Data) throws -> Data {
            try P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey).publicKey.x963Representation
        }

        /// Returns the signature of a message.
        public func signature(for message: Data, by privateKey: Data) throws -> Data {
            try P256.Signing.PrivateKey(rawRepresentation: privateKey).signature(for: message).rawRepresentation
        }

        /// Returns the secret of two keys.
        public func sharedSecret(of privateKey: Data, with publicKey: Data) throws -> Data {
            let peer = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
            let own = try P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
            return try own.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { Data($0) }
        }

        /// Decrypts by AES-128-GCM.
        public func open(_ sealed: Data, key: Data, nonce: Data) throws -> Data {
            try AES.GCM.open(try AES.GCM.SealedBox(combined: nonce + sealed), using: SymmetricKey(data: key))
        }
    }
#endif
