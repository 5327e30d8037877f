import Foundation
import PushgateClient
import Synchronization

/// A phone with its servers, its storage, its clock and the gateway it talks to.
struct Stage {
    static let secrets = [
        "one": "secret-of-server-one-0123456789abcdef", "two": "secret-of-server-two-0123456789abcdef",
    ]

    let gateway = ScriptedGateway()
    let storage = InMemoryStorage()
    let directory: TestDirectory
    let clock = TestClock()
    let phone: PushSubscriptions

    /// - Parameter storage: of an earlier launch.
    init(
        earlier: Stage? = nil, servers: [String] = ["one", "two"], build: AppBuild = AppBuild(),
        policy: RegistrationPolicy = RegistrationPolicy()
    ) throws {
        directory = TestDirectory(servers.compactMap(Self.server))
        let storage = storage
        if let state = earlier?.storage.state { try storage.save(state) }
        let clock = clock
        phone = PushSubscriptions(
            servers: directory, storage: storage, http: gateway, build: build, policy: policy, now: { clock.now })
    }

    static func server(_ id: String) -> PushServer? {
        guard let secret = PushSecret(secrets[id] ?? ""), let gateway = GatewayURL("https://\(id).example.com/push/")
        else { return nil }
        return PushServer(id: id, secret: secret, gateway: gateway)
    }
}

/// The app's list of servers, which a test may change, or make unreadable.
final class TestDirectory: PushServerDirectory {
    struct Locked: Error {}

    private let list: Mutex<[PushServer]?>
    private let reads = Mutex(0)

    init(_ servers: [PushServer]) { list = Mutex(servers) }

    /// Waits until it was read so often in all, and whoever did has had every chance to go on.
    func wasRead(_ count: Int) async {
        while reads.withLock({ $0 }) < count { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
    }

    /// - Parameter servers: nil for a Keychain that is locked.
    func set(_ servers: [PushServer]?) { list.withLock { $0 = servers } }

    func servers() throws -> [PushServer] {
        reads.withLock { $0 += 1 }
        guard let servers = list.withLock({ $0 }) else { throw Locked() }
        return servers
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_780_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

extension Chat {
    static func one(_ cwd: String) -> Chat { Chat(serverID: "one", cwd: cwd) }
    static func two(_ cwd: String) -> Chat { Chat(serverID: "two", cwd: cwd) }
}
