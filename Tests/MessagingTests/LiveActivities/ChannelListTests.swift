import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Channels as an operator sees them", .timeLimit(.minutes(10)))
struct ChannelListTests {
    private let clock = ManualClock()
    private let store: TemporaryStore
    private let apple = ScriptedChannels()
    private let owner: CardChannels
    private let app = AppIdentity(bundleID: "com.example.app", environment: "production")

    init() throws {
        let (clock, apple) = (clock, apple)
        store = try TemporaryStore(clock: clock, fieldIndexes: CardChannels.fieldIndexes)
        owner = CardChannels(
            apple, store: store.documents, admitting: store.documents, now: { clock.timestamp }, logger: .silent)
    }

    private func open(_ card: String, of app: AppIdentity? = nil) async throws -> ChannelID {
        guard case .channel(let channel) = try await owner.open(for: card, of: app ?? self.app) else {
            Issue.record("there is no channel for \(card)")
            return ChannelID(rawValue: "")
        }
        return channel
    }

    private func end(_ card: String) async throws {
        let end = try LiveActivity(.end(dismissal: nil), timestamp: clock.seconds, contentState: nil)
            .broadcast(at: clock.seconds, expiration: clock.seconds + 60)
        _ = try await owner.end(end, for: card, of: app)
    }

    @Test("The channels of all apps are listed in parts, each once, and those that are gone are not")
    func parts() async throws {
        var expected: Set<ChannelID> = []
        for number in 0..<7 { expected.insert(try await open("r\(number)")) }
        let sandbox = AppIdentity(bundleID: "com.example.app", environment: "sandbox")
        expected.insert(try await open("r0", of: sandbox))
        _ = try await open("gone")
        try await end("gone")
        clock.advance(by: .seconds(600))
        await owner.sweep()
        var (listed, place): ([CardChannels.Listed], String?) = ([], nil)
        repeat {
            let part = try await owner.list(after: place, limit: 3)
            #expect(part.channels.count <= 3)
            listed += part.channels
            place = part.next
        } while place != nil
        #expect(listed.count == 8 && Set(listed.compactMap(\.channel)) == expected)
        #expect(listed.allSatisfy { $0.state == "open" && $0.createdAt == ManualClock.start })
        #expect(listed.filter { $0.card == "r0" }.count == 2)
        let usage = try await owner.usage()
        #expect(usage.map(\.channels) == [7, 1] && usage.first?.others == 0)
        #expect(usage.map(\.app) == [app, sandbox])
    }

    @Test("A channel that no card has is deleted, and no longer counts")
    func unknown() async throws {
        let stranger = ChannelID(rawValue: "stranger")
        apple.set { $0.channels = [stranger] }
        let mine = try await open("r1")
        #expect(try await owner.usage().map(\.others) == [1])
        #expect(try await owner.unknown(of: app) == [stranger])
        #expect(try await owner.delete(stranger, of: app) == .deleted)
        #expect(apple.current.channels == [mine])
        #expect(try await owner.usage().map(\.others) == [0])
        await #expect(throws: ChannelError.self) { try await owner.delete(stranger, of: app) }
    }

    @Test("A channel in use is not deleted before its card has ended")
    func used() async throws {
        let id = try await open("r1")
        #expect(try await owner.delete(id, of: app) == .ended)
        #expect(apple.current.ends == [id] && apple.current.channels == [id])
        #expect(try await owner.open(for: "r1", of: app) == .absent(.ended))
        clock.advance(by: .seconds(600))
        await owner.sweep()
        #expect(apple.current.channels.isEmpty)
    }

    @Test("The channel of a card that has ended is deleted at once, and forgotten by the next sweep")
    func ended() async throws {
        let id = try await open("r1")
        try await end("r1")
        #expect(try await owner.delete(id, of: app) == .deleted)
        #expect(apple.current.channels.isEmpty)
        clock.advance(by: .seconds(600))
        await owner.sweep()
        #expect(try await owner.list(limit: 10).channels.isEmpty)
    }

    @Test("Without a service for the app there is nothing to list or to delete at Apple")
    func noService() async throws {
        let strange = AppIdentity(bundleID: "strange")
        #expect(try await owner.unknown(of: strange) == nil)
        #expect(try await owner.delete(ChannelID(rawValue: "a"), of: strange) == nil)
    }
}
