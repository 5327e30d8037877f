package import JSON
import Logging
package import Messaging
package import Settings
import WebPush

/// The relays of apps' authors: each sends with its author's key what gateways have sealed for its phones.
package struct AuthorRelayService: PushService {
    package static let name = TransportName.relay
    package static let keys = SettingKeys(below: "relay.", RelayTransportSettings.Written.self)

    private let relays: AuthorRelayTransport
    private let client: RelayClient

    package init(settings: RelayTransportSettings, host: PushServiceHost) throws(ConfigurationError) {
        if let file = settings.authorityFile { try host.checkAuthorities(at: file.path, key: file.key) }
        if !settings.connectTo.isEmpty {
            host.logger.warning(
                "leading relays to other servers, as relay.connectTo says; this is for tests alone",
                metadata: ["servers": "\(settings.written.connectTo.map(\.description).joined(separator: ", "))"])
        }
        let hosts = CurrentHosts(settings.hosts)
        client = RelayClient(
            caFile: settings.written.caFile, connectTo: settings.connectTo, hosts: { hosts.value }, now: host.now,
            logger: host.logger)
        relays = AuthorRelayTransport(
            hosts, caller: client, store: host.store, now: host.now, logger: host.logger)
    }

    package var transport: any PushTransport { relays }

    package var senders: [PushSender] {
        relays.currentHosts.servers.map { server in
            PushSender(
                name: "\(server)", detail: "relay of an app's author", lane: RelayToken.lane(of: server),
                pause: "the relay cannot be reached")
        }
    }

    package func change(to settings: RelayTransportSettings) throws(ConfigurationError) -> @Sendable () -> Void {
        let new = settings.hosts
        return { [relays, client] in
            if relays.replace(new) { client.rulesHaveChanged() }
        }
    }

    package func refusal(of address: PushAddress) -> SubscriptionError? {
        do throws(SubscriptionError) {
            try relays.currentHosts.check(try RelayAddress(address.token.value).server)
            return nil
        } catch {
            return error
        }
    }

    package func shutdown() async { await client.shutdown() }

    /// Returns `true` for a text that begins as an address does. Even if it is none, no other service may get it: it
    /// may have secrets.
    package static func recognizes(_ token: RegistrationToken) -> Bool { token.isAtRelay }

    package static func parts(of text: RegistrationToken) -> TokenForms.Parts { RelayToken.parts(of: text) }

    package static func problem(with text: RegistrationToken) -> SubscriptionError? { RelayToken.problem(with: text) }

    package static func server(of address: PushAddress) -> String? {
        (try? RelayAddress(address.token.value)).map { "\(RelayAddress.prefix)\($0.server)" }
    }

    package static func token(ofSubscription json: JSONValue) throws(SubscriptionError) -> RegistrationToken? {
        try RelayToken.text(of: json)
    }

    package static func rejection(of message: OutgoingMessage) -> Rejection? {
        AuthorRelayTransport.rejection(of: message)
    }
}
