import APNsSimulator
import ClientCryptography
import Foundation
import JSON
import PushgateClient
import Synchronization
import TestSupport
import Testing

/// A phone with the app of the relay's author, which has the secrets of some gateways.
struct RelayedPhone: Sendable {
    static let cwd = "/srv/app"

    /// The device token of APNs.
    let token: String
    let relay: RelayClient
    let subscriptions: PushSubscriptions
    private let keys: KeptKeys
    private let list: KeptList
    private let servers: [PushServer]

    /// - Parameters:
    ///   - gateways: The hosts of the gateways, each of which has one server of the user's.
    ///   - earlier: A launch whose keys, list and servers this one continues.
    ///   - lead: The seconds by which the phone's clock is ahead.
    init(
        _ hosts: HostTable, at gateways: [String] = [RelayWorld.sender], token: String = .randomToken(),
        earlier: RelayedPhone? = nil, lead: TimeInterval = 0
    ) throws {
        var servers: [PushServer] = []
        for host in gateways {
            let gateway = try #require(GatewayURL("https://\(host)"))
            servers.append(PushServer(id: host, secret: .random(), gateway: gateway))
        }
        try self.init(hosts, servers: earlier?.servers ?? servers, token: token, earlier: earlier, lead: lead)
    }

    /// - Parameter servers: The servers of the user's.
    init(
        _ hosts: HostTable, servers: [PushServer], token: String = .randomToken(), earlier: RelayedPhone? = nil,
        lead: TimeInterval = 0
    ) throws {
        self.token = token
        self.servers = servers
        keys = earlier?.keys ?? KeptKeys()
        list = earlier?.list ?? KeptList()
        let now: @Sendable () -> Date = { Date().addingTimeInterval(lead) }
        relay = RelayClient(
            relay: try #require(GatewayURL("https://\(RelayWorld.host)")), storage: keys,
            cryptography: OpenSSLCryptography(), http: hosts, now: now)
        subscriptions = PushSubscriptions(
            servers: ListedServers(all: servers), relay: relay, storage: list, http: hosts,
            build: AppBuild(bundleID: RunningSimulator.bundleID, platform: "ios"),
            policy: RegistrationPolicy(whenOpened: .zero), now: now)
    }

    /// Launches the app: the system gives it the token, and the user opens a chat of each server.
    func launch(_ cwd: String = Self.cwd) async throws {
        try await subscriptions.tokenDidChange(to: token)
        for server in servers {
            let outcome = try await subscriptions.subscribe(to: chat(server.id, cwd), displayName: "The agent")
            #expect(outcome == .registered, "\(server.id)")
        }
    }

    func chat(_ server: String = RelayWorld.sender, _ cwd: String = Self.cwd) -> Chat {
        Chat(serverID: server, cwd: cwd)
    }

    /// Returns the daemon of the server that uses a gateway.
    func daemon(at gateway: RunningGateway, _ host: String = RelayWorld.sender) throws -> Daemon {
        let server = try #require(servers.first { $0.id == host })
        return Daemon(gateway.caller, secret: server.secret.value)
    }

    /// Returns the path of the gateway's document for the phone as a device of a chat.
    func registration(_ host: String = RelayWorld.sender) async throws -> String {
        let server = try #require(servers.first { $0.id == host })
        let id = try await subscriptions.installationID()
        return "servers/\(server.serverKey)/agents/\(chat(host).agentKey)/devices/\(id)"
    }

    /// Returns what the app's extension shows for a notification at Apple's side; `nil` for the neutral text.
    func open(_ notification: ReceivedNotification) -> OpenedNotification? {
        SealedNotifications(storage: keys, cryptography: OpenSSLCryptography()).open(json: Data(notification.body))
    }

    /// Returns what the app's widget shows for a card; `nil` for the neutral text.
    func open(_ card: SimulatedPhone.Card) -> OpenedCard? {
        let state = SealedCardState(sealed: card.contentState["sealed"]?.string ?? "")
        return SealedCards(storage: keys, cryptography: OpenSSLCryptography()).open(state)
    }

    /// Returns the bodies of the opened notifications that Apple's side has accepted for a token, oldest first; `nil`
    /// for one that does not open.
    func bodies(_ apns: RunningSimulator, to token: String? = nil) -> [String?] {
        apns.simulator.received(matching: NotificationFilter(token: token ?? self.token, status: 200))
            .map { open($0)?.body }
    }
}

private struct ListedServers: PushServerDirectory {
    let all: [PushServer]

    func servers() async throws -> [PushServer] { all }
}

/// The keys in a keychain.
private final class KeptKeys: RelayStorage {
    private let bytes = Mutex<Data?>(nil)

    func load() throws -> Data? { bytes.withLock { $0 } }
    func save(_ bytes: Data) throws { self.bytes.withLock { $0 = bytes } }
}

/// The app's list of chats.
private final class KeptList: SubscriptionStorage {
    private let state = Mutex<SubscriptionState?>(nil)

    func load() throws -> SubscriptionState? { state.withLock { $0 } }
    func save(_ state: SubscriptionState) throws { self.state.withLock { $0 = state } }
}
