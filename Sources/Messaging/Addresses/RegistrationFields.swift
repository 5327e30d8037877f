package import DocumentStore

/// The form of an address in a registration document, the same in all collections but for the names of some fields.
///
/// `{token}`, `transport`, `bundleId`?, `{environment}`?, `addressAttributes`? and `addressDigest`? (both or none),
/// `receipts`? (`true` if the app reports what arrives), and `{registeredAt}`?. Documents of older versions may lack
/// `transport`; the form of the token then gives it.
package struct RegistrationFields: Hashable, Sendable {
    /// The name of the field with the transport.
    package static let transport = "transport"
    /// The name of the field with the app's bundle id.
    package static let bundleID = "bundleId"
    /// The name of the field with the secret attributes of the address, a map of texts.
    package static let attributes = "addressAttributes"
    /// The name of the field with the digest of an address that has secret attributes.
    package static let digest = "addressDigest"
    /// The name of the field that is `true` if the app reports what arrives.
    package static let receipts = "receipts"
    /// The usual name of the field with the environment.
    package static let environment = "apnsEnvironment"

    /// The field with the token. A registration is changed only if it still holds the token that was sent to.
    package var token: String
    /// The field with the environment of the token; `nil` if the document has none.
    package var environment: String?
    /// The field with the last time at which the token was known to be valid, by the wall clock: the registration, or
    /// the acceptance that found its environment. `nil` if the document has none; its update time is used instead.
    package var registeredAt: String?

    package init(token: String, environment: String? = Self.environment, registeredAt: String? = nil) {
        self.token = token
        self.environment = environment
        self.registeredAt = registeredAt
    }

    /// Returns the fields of an address, without the time of the registration.
    package func fields(of address: PushAddress) -> Fields {
        var fields: Fields = [
            token: .string(address.token.value), Self.transport: .string(address.transport.rawValue),
        ]
        fields[Self.bundleID] = address.app.bundleID.map(Value.string)
        fields[Self.attributes] = address.attributes.value
        fields[Self.digest] = address.digest.map(Value.string)
        if address.asksForReceipts { fields[Self.receipts] = .boolean(true) }
        if let environment { fields[environment] = address.app.environment.map(Value.string) }
        return fields
    }

    /// Returns the address in a registration document; `nil` if it has none.
    package func address(in document: Document) -> PushAddress? {
        guard let token = document[token]?.string else { return nil }
        let app = AppIdentity(
            bundleID: document[Self.bundleID]?.string,
            environment: environment.flatMap { document[$0]?.string })
        return PushAddress(
            transport: document[Self.transport]?.string.map(TransportName.init(rawValue:))
                ?? TransportName(ofToken: token),
            token: RegistrationToken(token),
            attributes: AddressAttributes(
                app: app, stored: document[Self.attributes],
                asksForReceipts: document[Self.receipts]?.boolean ?? false))
    }

    /// Returns the fields that complete the address in a registration document with the environment of its token,
    /// which was found to be valid at a time; `nil` if the document names an environment or cannot.
    func completion(of document: Document, with found: AppIdentity, at time: Timestamp) -> Fields? {
        guard let environment, document[environment] == nil, let name = found.environment else { return nil }
        var fields: Fields = [environment: .string(name)]
        if let registeredAt { fields[registeredAt] = .timestamp(time) }
        return fields
    }
}
