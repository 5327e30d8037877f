import DocumentStore
import HTTPTypes
import Logging
import Messaging
import Metrics
package import Settings

/// The relay of an app's author: gateways of other people send through it to phones that only the author's key reaches.
/// Contents are sealed by the sender for the app, so the relay can read none.
///
/// docs/relay.md is the contract.
package struct AuthorRelay: FunctionModule {
    let settings: AuthorRelaySettings
    let store: any DocumentStore
    let outbox: Outbox
    let reach: DeviceReach
    let isAppConfigured: @Sendable (PushAddress) -> Bool
    /// The host in addresses; `nil` for that of the request.
    let publicHost: RelayHost?
    let addressSecret: [UInt8]
    let admission: any RelayAdmission
    let limits: RelayLimits
    let authentication = AuthenticationLimiter()
    let now: @Sendable () -> Timestamp
    let logger: Logger
    let accepted = Counter(label: "pushgate_relay_messages_total", dimensions: [("result", "accepted")])
    let repeated = Counter(label: "pushgate_relay_messages_total", dimensions: [("result", "repeated")])

    package init(settings: AuthorRelaySettings, services: ModuleServices) throws(ConfigurationError) {
        self.settings = settings
        store = services.store
        outbox = services.outbox
        reach = services.reach(of: Self.source)
        isAppConfigured = services.host.isAppConfigured
        publicHost = try Self.host(inPublicURL: services.host.publicURL)
        addressSecret = services.host.secret("relay-address")
        admission = try settings.makeAdmission()
        limits = RelayLimits(settings)
        now = services.now
        logger = services.logger
    }

    private static func host(inPublicURL url: String?) throws(ConfigurationError) -> RelayHost? {
        guard let url else { return nil }
        guard let host = RelayHost(inURL: url) else {
            throw ConfigurationError(
                key: "http.publicUrl",
                problem: "has a host that gateways cannot read in the relay's addresses; write it in letters of ASCII, "
                    + "as https://xn--…")
        }
        return host
    }

    package static let name = "the author's relay"
    package static let source = "relay"
    package static let paths: [PathPattern] = ["/relay/v1"]
    package static let registrationCollection: String? = RelayDocuments.addressesID

    package var deviceList: DeviceList? {
        DeviceList(
            collection: RelayDocuments.addressesID, title: "Addresses of the relay", system: Self.name, store: store,
            troubles: trouble)
    }

    /// Returns the reason for which no gateway reaches a phone; `nil` if there is none.
    @Sendable private func trouble(of address: DocumentPath) async throws -> String? {
        guard let id = AddressID(address.id) else { return nil }
        let documents = try await store.documents(at: [try RelayDocuments.installation(id), address])
        guard let installation = documents[0].flatMap(Installation.init) else { return nil }
        guard documents[1] != nil else {
            return "its token is no longer valid, or its app has closed the address, and it has not registered again"
        }
        guard installation.secrets.isEmpty else { return nil }
        return "it has registered here and with no gateway, so nobody may send to it"
    }

    package var endpoints: [Endpoint] {
        let senders = EndpointGroup(
            Self.source, RelayError.self, logger: logger, respond: { error, _ in error.sendResponse })
        return [
            apps.endpoint(.post, "/relay/v1/addresses", registerAddress).forPages,
            apps.endpoint(.get, "/relay/v1/addresses/{id}", showAddress).forPages,
            apps.endpoint(.delete, "/relay/v1/addresses/{id}", closeAddress).forPages,
            apps.endpoint(.post, "/relay/v1/addresses/{id}/secrets", createSecret).forPages,
            apps.endpoint(.delete, "/relay/v1/addresses/{id}/secrets/{secret}", revokeSecret).forPages,
            senders.endpoint(.post, "/relay/v1/send", send),
        ]
    }

    package var fallbacks: [Fallback] { [apps.fallback(below: Self.paths, .nothingHere)] }

    private var apps: EndpointGroup<RelayError> { EndpointGroup(Self.source, RelayError.self, logger: logger) }

    package var jobs: [ScheduledJob] {
        [ScheduledJob(name: "relay-clean-up", interval: .seconds(60 * 60), run: cleanUp)]
    }
}

/// The scheduled clean-up.
extension AuthorRelay {
    /// The time for which a signature could count again.
    private static let signatureRetention = Duration.seconds(2 * SignedCall.clockTolerance)
    /// The time for which the repetition of a message is recognized. A sender that ends before it has stored the answer
    /// may be off for some days.
    static let sendRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The time for which the secrets of an address that has ended are known.
    static let installationRetention = Duration.seconds(30 * 24 * 60 * 60)
    /// The time after the last launch for which an installation is known to which nobody may send. Its address, which
    /// no message shows to be invalid, would stay for ever.
    static let idleRetention = Duration.seconds(90 * 24 * 60 * 60)

    @Sendable func cleanUp() async throws {
        let time = now()
        try await store.deleteDocuments(
            in: .collection(try RelayDocuments.signatures()), whose: RelayDocuments.usedAt,
            isBefore: time.adding(.zero - Self.signatureRetention))
        try await store.deleteDocuments(
            in: .collection(try RelayDocuments.sends()), whose: RelayDocuments.acceptedAt,
            isBefore: time.adding(.zero - Self.sendRetention))
        try await store.deleteDocuments(
            in: .collection(try RelayDocuments.installations()), whose: Installation.Field.endedAt,
            isBefore: time.adding(.zero - Self.installationRetention))
        try await store.deleteDocuments(
            in: .collection(try RelayDocuments.installations()), whose: Installation.Field.idleSince,
            isBefore: time.adding(.zero - Self.idleRetention),
            alongside: { installation throws(StoreError) in
                [.delete(try RelayDocuments.addresses().document(installation.path.id))]
            })
    }
}
