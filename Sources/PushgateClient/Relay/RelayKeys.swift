import Foundation

/// The keys of an installation: one signs its calls to the relay, the other opens what gateways seal for it.
struct RelayKeys: Codable, Hashable, Sendable {
    private static let privateKeyByteCount = 32
    /// The number of bytes of a subscription's secret (RFC 8291 §3.2).
    private static let authenticationByteCount = 16

    /// The private half of the key that signs.
    let signing: Data
    /// The private half of the key to which gateways seal.
    let sealing: Data
    /// The secret that only gateways know beside this installation, `auth` of RFC 8291.
    let authentication: Data

    /// Makes new keys by the system's random numbers.
    init(random cryptography: any RelayCryptography) throws {
        signing = try Self.privateKey(cryptography)
        sealing = try Self.privateKey(cryptography)
        authentication = .random(Self.authenticationByteCount)
    }

    init(signing: Data, sealing: Data, authentication: Data) {
        self.signing = signing
        self.sealing = sealing
        self.authentication = authentication
    }

    /// Returns a number that is a private key. One random number of 2³² is above the order of the curve.
    private static func privateKey(_ cryptography: any RelayCryptography) throws -> Data {
        let first = Data.random(privateKeyByteCount)
        if (try? cryptography.publicKey(of: first)) != nil { return first }
        let second = Data.random(privateKeyByteCount)
        _ = try cryptography.publicKey(of: second)
        return second
    }
}
