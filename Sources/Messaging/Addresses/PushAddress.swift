package import DocumentStore

/// The address of a push: one app on one device, as a push service knows it. It has the service's name, a token, and
/// the service's own attributes.
///
/// Only the service knows what its attributes mean. All parts are stored, in registrations (``RegistrationFields``) and
/// in chunks (`Chunk.Entry`).
package struct PushAddress: Hashable, Sendable {
    /// The transport that sends to the push service.
    package let transport: TransportName
    /// The text by which the push service knows the app on the device, in its canonical spelling.
    package let token: RegistrationToken
    /// The app and the parts that only the push service knows.
    package let attributes: AddressAttributes

    /// Takes the token in any spelling, and keeps the canonical one.
    package init(
        transport: TransportName, token: RegistrationToken, attributes: AddressAttributes = .empty
    ) {
        self.transport = transport
        self.token = token.canonical
        self.attributes = attributes
    }

    /// The app, as far as the client named it.
    package var app: AppIdentity { attributes.app }

    /// `true` if the app reports what arrives.
    package var asksForReceipts: Bool { attributes.asksForReceipts }

    /// Returns the address of an app that reports what arrives, or of one that does not.
    package func asking(forReceipts isAsking: Bool) -> PushAddress {
        guard isAsking != asksForReceipts else { return self }
        var attributes = attributes
        attributes.asksForReceipts = isAsking
        return PushAddress(transport: transport, token: token, attributes: attributes)
    }

    /// The queue that leads to the address.
    package var lane: Lane { Lane(transport: transport, app: app) }

    /// A digest of the transport, the token and the secret attributes; `nil` without secret attributes. A client that
    /// names an address with this digest knows all of them.
    var digest: String? {
        let secrets = attributes.secrets
        guard !secrets.isEmpty else { return nil }
        let parts = secrets.keys.sorted().flatMap { [$0, secrets[$0] ?? ""] }
        // Registrations are found by the stored digest, so its form stays. Endpoints and keys have no null character.
        let text = ([transport.rawValue, token.value] + parts).joined(separator: "\0")
        return HalfDigest(of: text.utf8).description
    }
}

/// An app, and the environment of its tokens, in the words of its push service.
package struct AppIdentity: Sendable {
    /// The bundle id, or another name of the app at its push service; `nil` for the app that the transport is
    /// configured with.
    package let bundleID: String?
    /// The environment, such as `sandbox`; `nil` for the one that the transport is configured with. A service names its
    /// environments in ``PushService/environments``.
    package let environment: String?

    /// Creates an identity. An empty environment counts as none.
    package init(bundleID: String? = nil, environment: String? = nil) {
        self.bundleID = bundleID
        self.environment = environment?.isEmpty == true ? nil : environment
    }
}

/// The comparison uses UTF-8 bytes, as for tokens.
extension AppIdentity: Hashable {
    /// Returns `true` if bundle id and environment are the same.
    package static func == (left: AppIdentity, right: AppIdentity) -> Bool {
        isSame(left.bundleID, right.bundleID) && isSame(left.environment, right.environment)
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.hasSameBytes(as: other)
    }

    /// Adds bundle id and environment to the hash.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(bundleID)
        hasher.combine(environment)
    }
}

/// One device that receives a message: its address, and the document that is removed if the token is invalid.
package struct Target: Hashable, Sendable {
    /// The destination of the notification.
    package let address: PushAddress
    /// The registration document; `nil` if there is none.
    package let registration: DocumentPath?

    package init(address: PushAddress, registration: DocumentPath?) {
        self.address = address
        self.registration = registration
    }
}
