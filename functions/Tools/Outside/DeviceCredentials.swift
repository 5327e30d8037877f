package import Messaging

/// The credentials that a system gives its devices, for interfaces that take them besides their own.
package protocol DeviceCredentials: Sendable {
    /// Returns `true` if a bearer token has the form of such a credential, so that no other rule applies to it.
    func recognizes(_ token: String) -> Bool

    /// Returns the device with a credential, as the owner of a registration token. It counts the request, and a wrong
    /// credential.
    ///
    /// - Parameter networks: The client's address and the networks that contain it, narrowest first.
    /// - Throws: ``DeviceCredentialError`` if the credential is not taken.
    func owner(of credential: String, from networks: [String]) async throws -> RegistrationOwner
}

/// The reason why a device's credential is not taken.
package enum DeviceCredentialError: Error, Hashable, Sendable {
    /// There is no such credential, or no longer.
    case unknown
    /// The operator does not allow it. The text has the remedy.
    case notAllowed(String)
    /// There were too many requests, or wrong credentials.
    ///
    /// - Parameter retryAfter: The delay in seconds.
    case tooMany(retryAfter: Int64)
}
