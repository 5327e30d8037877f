import DocumentStore

/// The targets of messages that go to the address which a device has when they are sent, and not to that of their
/// acceptance.
///
/// A chunk that is read from the disk gets the present addresses. One that is sent with a former token, which its push
/// service no longer knows, is sent again. Only addresses on the chunk's lane are followed.
extension Chunk {
    /// Returns the name of a target among messages that replace each other: its token, or its registration if the token
    /// may change while the message waits.
    func lineToken(of target: Target) -> RegistrationToken {
        guard followsRegistrations, let registration = target.registration else { return target.address.token }
        return RegistrationToken(registration.description)
    }

    /// The registrations whose addresses the pending targets follow.
    var followedRegistrations: [DocumentPath] {
        followsRegistrations ? entries.compactMap { $0.target?.registration } : []
    }

    /// Gives the pending targets the addresses that their registrations have.
    mutating func follow(_ registrations: [DocumentPath: Document], _ fields: RegistrationFields) {
        guard followsRegistrations else { return }
        for index in entries.indices {
            guard let registration = entries[index].target?.registration, let document = registrations[registration],
                let address = fields.address(in: document)?.moved(to: lane)
            else { continue }
            entries[index].target = Target(address: address, registration: registration)
        }
    }
}

extension PushAddress {
    /// Returns the address as one of a lane; `nil` if it belongs to another lane. A lane without an environment has the
    /// tokens of every environment.
    func moved(to lane: Lane) -> PushAddress? {
        let isOfApp = app == lane.app || AppIdentity(bundleID: app.bundleID) == lane.app
        guard transport == lane.transport, isOfApp else { return nil }
        return PushAddress(
            transport: transport, token: token,
            attributes: AddressAttributes(
                app: lane.app, secrets: attributes.secrets, asksForReceipts: asksForReceipts))
    }
}
