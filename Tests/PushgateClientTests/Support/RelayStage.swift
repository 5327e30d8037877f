import ClientCryptography
import Foundation
import PushgateClient
import Synchronization
import Testing

/// A device whose gateways send through its author's relay.
struct RelayStage {
    /// A device token of APNs.
    static let token = String(repeating: "a1", count: 32)

    let clock: TestClock
    let relay: ScriptedRelay
    let gateway = ScriptedGateway()
    let keys: InMemoryRelayStorage
    let storage = InMemoryStorage()
    let directory: TestDirectory
    let log = CollectedEntries()
    let client: RelayClient
    let phone: PushSubscriptions

    /// - Parameters:
    ///   - earlier: A launch whose list and keys this one continues, at the same relay.
    ///   - host: The relay's host in its base URL.
    ///   - admission: The app's proof.
    init(
        earlier: RelayStage? = nil, keys: InMemoryRelayStorage? = nil, servers: [String] = ["one", "two"],
        at host: String = ScriptedRelay.host, admission: (any RelayAdmission)? = nil
    ) throws {
        let clock = earlier?.clock ?? TestClock()
        self.clock = clock
        relay = earlier?.relay ?? ScriptedRelay(clock: clock)
        self.keys = keys ?? earlier?.keys ?? InMemoryRelayStorage()
        directory = TestDirectory(servers.compactMap { Stage.server($0) })
        if let state = earlier?.storage.state { try storage.save(state) }
        client = RelayClient(
            relay: try #require(GatewayURL("https://\(host)")), storage: self.keys,
            cryptography: OpenSSLCryptography(), admission: admission, http: relay, now: { clock.now },
            logger: log.logger)
        phone = PushSubscriptions(
            servers: directory, relay: client, storage: storage, http: gateway,
            build: AppBuild(bundleID: "com.example.app", apnsEnvironment: .production, platform: "ios"),
            now: { clock.now }, logger: log.logger)
    }

    /// Returns a device that is subscribed to a chat of each server.
    static func subscribed() async throws -> RelayStage {
        let stage = try RelayStage()
        try await stage.phone.tokenDidChange(to: token)
        try await stage.phone.subscribe(to: .one("/srv/app"))
        try await stage.phone.subscribe(to: .two("/srv/app"))
        return stage
    }
}

/// A storage of keys in memory, which fails if a test says so.
final class InMemoryRelayStorage: RelayStorage {
    struct Locked: Error {}

    private let contents = Mutex((bytes: Data?.none, isLocked: false))

    var bytes: Data? { contents.withLock { $0.bytes } }

    func setLocked(_ isLocked: Bool) { contents.withLock { $0.isLocked = isLocked } }

    func load() throws -> Data? {
        try contents.withLock {
            if $0.isLocked { throw Locked() }
            return $0.bytes
        }
    }

    func save(_ bytes: Data) throws {
        try contents.withLock {
            if $0.isLocked { throw Locked() }
            $0.bytes = bytes
        }
    }
}
