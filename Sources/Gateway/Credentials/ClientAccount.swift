internal import Cryptography
public import Foundation

/// A service account that `pushgate init` has made for a client of FCM, as the gateway knows it: without its secret.
public struct ClientAccount: Sendable {
    /// Of its key.
    public let keyID: String
    public let project: String
    public let email: String
    /// The time at which it was made.
    public let createdAt: Date
    let publicKey: RS256PublicKey
}
