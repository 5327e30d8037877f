package import DocumentStore

/// The address of a push: one app on one device, as a push service knows it.
///
/// A push service that needs more than a token (Web Push: an endpoint and two keys) has the rest in ``attributes``. All
/// parts are stored in registrations (``RegistrationFields``) and in chunks (`Chunk.Entry`).
package struct PushAddress: Hashable, Sendable {
    /// The transport that sends to the push service.
    package let transport: TransportName
    /// The text by which the push service knows the app on the device, in its canonical spelling.
    package let token: RegistrationToken
    /// The app, as far as the client named it.
    package let app: AppIdentity
    /// The parts that only the push service knows.
    package let attributes: AddressAttributes

    /// Creates an address of a known transport.
    package init(
        transport: TransportName, token: RegistrationToken, app: AppIdentity = AppIdentity(),
        attributes: AddressAttributes = .empty
    ) {
        self.transport = transport
        self.token = token.canonical
        self.app = app
        self.attributes = attributes
    }

    /// Creates the address for a token of a document that names no transport.
    package init(token: String, app: AppIdentity = AppIdentity()) {
        self.init(transport: TransportName(ofToken: token), token: RegistrationToken(token), app: app)
    }

    /// The queue that leads to the address.
    package var lane: Lane { Lane(transport: transport, app: app) }
}

/// An app, and the environment of its tokens.
package struct AppIdentity: Sendable {
    /// The bundle id, or another of the app's topics at APNs; `nil` for the app that the transport is configured with.
    package var bundleID: String?
    /// The environment; `nil` for the one that the transport is configured with.
    package var environment: APNsEnvironment?

    /// Creates an identity.
    package init(bundleID: String? = nil, environment: APNsEnvironment? = nil) {
        self.bundleID = bundleID
        self.environment = environment
    }
}

/// The comparison uses the UTF-8 bytes of bundle ids, as for tokens.
extension AppIdentity: Hashable {
    /// Returns `true` if bundle id and environment are the same.
    package static func == (left: AppIdentity, right: AppIdentity) -> Bool {
        guard left.environment == right.environment else { return false }
        guard let one = left.bundleID, let other = right.bundleID else {
            return left.bundleID == nil && right.bundleID == nil
        }
        return one.hasSameBytes(as: other)
    }

    /// Adds bundle id and environment to the hash.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(bundleID)
        hasher.combine(environment)
    }
}

/// The environment of a device token: one of Apple's two push services.
package enum APNsEnvironment: String, Sendable, CaseIterable {
    /// For apps that Xcode installs.
    case sandbox
    /// For apps from the App Store, TestFlight and enterprise distribution.
    case production
}

/// One device that receives a message: its address, and the document that is removed if the token is invalid.
package struct Target: Hashable, Sendable {
    /// The destination of the notification.
    package let address: PushAddress
    /// The registration document; `nil` if there is none.
    package let registration: DocumentPath?

    /// Creates a target.
    package init(address: PushAddress, registration: DocumentPath?) {
        self.address = address
        self.registration = registration
    }
}
