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
    let log = CollectedEntries()
    let phone: PushSubscriptions

    /// - Parameter earlier: a launch whose list this one finds.
    init(
        earlier: Stage? = nil, servers: [String] = ["one", "two"], installationID: UUID? = nil,
        build: AppBuild = AppBuild(), policy: RegistrationPolicy = RegistrationPolicy()
    ) throws {
        directory = TestDirectory(servers.compactMap { Self.server($0) })
        let storage = storage
        if let state = earlier?.storage.state { try storage.save(state) }
        let clock = clock
        phone = PushSubscriptions(
            servers: directory, storage: storage, http: gateway, installationID: installationID, build: build,
            policy: policy, now: { clock.now }, logger: log.logger)
    }

    /// - Parameter name: by which the app knows it, if not by its id.
    static func server(_ id: String, as name: String? = nil) -> PushServer? {
        guard let secret = PushSecret(secrets[id] ?? ""), let gateway = GatewayURL("https://\(id).example.com/push/")
        else { return nil }
        return PushServer(id: name ?? id, secret: secret, gateway: gateway)
    }
}

/// The app's list of servers, which a test may change, make unreadable, or hold back.
final class TestDirectory: PushServerDirectory {
    struct Locked: Error {}

    private struct Hold {
        var reads = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let list: Mutex<[PushServer]?>
    private let reads = Mutex(0)
    private let held = Mutex(Hold())

    init(_ servers: [PushServer]) { list = Mutex(servers) }

    /// Waits until it was read so often in all, and whoever did has had every chance to go on.
    func wasRead(_ count: Int) async {
        while reads.withLock({ $0 }) < count { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
    }

    /// - Parameter servers: nil for a Keychain that is locked.
    func set(_ servers: [PushServer]?) { list.withLock { $0 = servers } }

    /// Keeps so many of the reads to come waiting.
    func hold(_ count: Int) { held.withLock { $0.reads = count } }

    /// Waits until so many reads are held.
    func isHolding(_ count: Int) async {
        while held.withLock({ $0.waiting.count }) < count { await Task.yield() }
    }

    /// Lets the read go on that came last of those that are held.
    func releaseLast() { held.withLock { $0.waiting.popLast() }?.resume() }

    func servers() async throws -> [PushServer] {
        reads.withLock { $0 += 1 }
        await passHold()
        guard let servers = list.withLock({ $0 }) else { throw Locked() }
        return servers
    }

    private func passHold() async {
        await withCheckedContinuation { continuation in
            let passes = held.withLock { hold in
                guard hold.reads > 0 else { return true }
                hold.reads -= 1
                hold.waiting.append(continuation)
                return false
            }
            if passes { continuation.resume() }
        }
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
