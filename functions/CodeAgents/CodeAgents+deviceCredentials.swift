import DocumentStore
package import Messaging

/// The credentials of paired devices, which FCM's interface takes for the registration of a browser.
extension CodeAgents: DeviceCredentials {
    package var deviceCredentials: (any DeviceCredentials)? { settings.pairing ? self : nil }

    package func recognizes(_ token: String) -> Bool { DeviceCredential.isMeant(by: token) }

    package func owner(of credential: String, from networks: [String]) async throws -> RegistrationOwner {
        guard let credential = BearerCredential(credential) else { throw DeviceCredentialError.unknown }
        do {
            let device = try await pairedDevice(with: credential, from: networks)
            try checkAccess(
                of: try await store.document(at: CodeAgentsDocuments.server(device.agent.serverKey)))
            return try pairings.owner(of: device)
        } catch let error as CodeAgentsError {
            throw DeviceCredentialError(error)
        }
    }
}

extension DeviceCredentialError {
    fileprivate init(_ error: CodeAgentsError) {
        if let seconds = error.retryAfter {
            self = .tooMany(retryAfter: seconds)
        } else if error == .serverNotAllowed {
            self = .notAllowed(error.message)
        } else {
            self = .unknown
        }
    }
}
