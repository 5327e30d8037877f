import Cryptography
package import Foundation
import PushgateClient

/// The cryptography of a relay's client by OpenSSL, for the tests of the library on Linux.
package struct OpenSSLCryptography: RelayCryptography {
    /// An error for bytes that do not open.
    struct NotSealedForThisKey: Error {}

    package init() {}

    package func publicKey(of privateKey: Data) throws -> Data {
        Data(try P256AgreementKey(scalar: Array(privateKey)).publicKey.bytes)
    }

    package func signature(for message: Data, by privateKey: Data) throws -> Data {
        Data(try ES256PrivateKey(scalar: Array(privateKey)).signature(for: Array(message)))
    }

    package func sharedSecret(of privateKey: Data, with publicKey: Data) throws -> Data {
        let peer = try P256Point(Array(publicKey))
        return Data(try P256AgreementKey(scalar: Array(privateKey)).sharedSecret(with: peer))
    }

    package func open(_ sealed: Data, key: Data, nonce: Data) throws -> Data {
        guard let opened = try AES128GCM.open(Array(sealed), key: Array(key), nonce: Array(nonce)) else {
            throw NotSealedForThisKey()
        }
        return Data(opened)
    }
}
