import APNs
import DocumentStore
import Emulator
import Instance
import Logging
import Messaging

/// The parts of a gateway that deliver messages: the outbox, the dispatcher and the transports.
struct GatewayDelivery: Sendable {
    let apns: APNsLink?
    let relay: RelayLink?
    let inbox = Inbox()
    let scripts = EmulatorScripts()
    let sent = SentMessages()
    let dispatcher: Dispatcher
    let transports: TransportTable
    let outbox: Outbox
    let broadcaster: Broadcaster
    let takeover: Takeover
    /// A description of the transports, for logs and the start banner.
    let description: String

    /// `true` if no transport leads out of the gateway.
    var isEmulator: Bool { apns == nil && relay == nil }

    init(_ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ logger: Logger) throws {
        apns = try configuration.apns.map { try APNsLink($0, configuration.modules, logger) }
        relay = try configuration.fcm.relay.map { try RelayLink($0, logger) }
        let emulated = EmulatedTransport(
            inbox: inbox, scripts: scripts, rejection: APNsTransport.rejection, now: { .now })
        let outward = Self.transports(apns, relay, emulated)
        description = outward == nil ? emulated.description : Self.description(of: apns, relay)
        transports = outward ?? TransportTable(everythingTo: emulated)
        dispatcher = Dispatcher(
            store: storage.store, transports: transports, membership: storage.membership, logger: logger)
        outbox = Outbox(
            store: storage.admitting, dispatcher: dispatcher, defaultLifetime: configuration.messageLifetime,
            now: { .now })
        broadcaster = Broadcaster(store: storage.store, outbox: outbox, logger: logger)
        takeover = Takeover(
            store: storage.store, dispatcher: dispatcher, broadcaster: broadcaster, membership: storage.membership,
            logger: logger)
    }

    /// Returns `true` if the gateway sends for the app of a bundle id. Without APNs credentials it accepts every bundle
    /// id: no key exists that could send to a stranger's app.
    func isAppConfigured(_ bundleID: String) -> Bool { apns?.transport.sends(to: bundleID) ?? true }

    /// Returns a description of the transports, for logs and the start banner.
    static func description(of apns: APNsLink?, _ relay: RelayLink?) -> String {
        [apns?.description, relay?.description].compactMap(\.self).joined(separator: "; ")
    }

    /// Returns `nil` if no transport leads out of the gateway.
    private static func transports(
        _ apns: APNsLink?, _ relay: RelayLink?, _ emulated: EmulatedTransport
    ) -> TransportTable? {
        guard apns != nil || relay != nil else { return nil }
        var transports: [TransportName: any PushTransport] = [.emulated: emulated]
        transports[.apns] = apns?.transport
        transports[.fcm] = relay?.transport
        return TransportTable(transports)
    }
}

extension RegistrationResolver {
    /// Creates the resolver of a gateway, which passes on the tokens that one of its transports sends to.
    init(_ storage: GatewayStorage, _ delivery: GatewayDelivery) {
        self.init(
            store: storage.admitting, key: RegistrationTokenKey(storage.key.registrationTokens),
            foreignTokens: delivery.isEmulator ? .accept : delivery.relay == nil ? .refused : .relayed, now: { .now })
    }
}
