import Foundation
import PushgateClient
import Synchronization

/// A device with its servers, its storage, its clock and its gateway.
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

    /// - Parameter earlier: A launch whose list this one continues.
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

    /// - Parameter name: The app's id of the server, if it differs from the server's own.
    static func server(_ id: String, as name: String? = nil) -> PushServer? {
        guard let secret = PushSecret(secrets[id] ?? ""), let gateway = GatewayURL("https://\(id).example.com/push/")
        else { return nil }
        return PushServer(id: name ?? id, secret: secret, gateway: gateway)
    }
}

/// The app's list of servers, which a test can change, make unreadable, or delay.
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

    /// Waits until the list was read the given number of times in total, and lets its readers continue.
    func wasRead(_ count: Int) async {
        while reads.withLock({ $0 }) < count { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
    }

    /// - Parameter servers: `nil` for a locked Keychain.
    func set(_ servers: [PushServer]?) { list.withLock { $0 = servers } }

    /// Delays the given number of next reads.
    func hold(_ count: Int) { held.withLock { $0.reads = count } }

    /// Waits until the given number of reads is delayed.
    func isHolding(_ count: Int) async {
        while held.withLock({ $0.waiting.count }) < count { await Task.yield() }
    }

    /// Continues the most recent delayed read.
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

/// A clock that a test advances.
final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_780_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

extension Chat {
    static func one(_ cwd: String) -> Chat { Chat(serverID: "one", cwd: cwd) }
    static func two(_ cwd: String) -> Chat { Chat(serverID: "two", cwd: cwd) }
}
