import Foundation
import PushgateClient
import Testing

@Suite("Storages of the client library")
struct StorageTests {
    /// Returns the state of a device with a chat of each kind.
    private func state() async throws -> SubscriptionState {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        try await stage.phone.subscribe(to: .one("/srv/app"), displayName: "App")
        await stage.gateway.answer(GatewayResponse(status: 503))
        await #expect(throws: PushClientError.self) { try await stage.phone.subscribe(to: .two("/srv/größe")) }
        await #expect(throws: PushClientError.self) { try await stage.phone.unsubscribe(from: .two("/srv/gone")) }
        return try #require(stage.storage.state)
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pushgate-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test("A JSON file returns the stored state, and its folder is created")
    func file() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("a/b.json")
            let storage = JSONFileStorage(file: file)
            #expect(try storage.load() == nil)
            let state = try await state()
            try storage.save(state)
            #expect(try JSONFileStorage(file: file).load() == state)
        }
    }

    @Test("A damaged JSON file is moved aside and replaced, and one that cannot be read throws an error")
    func damaged() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("list.json")
            let storage = JSONFileStorage(file: file)
            for damage in ["{\"installationID\":", "[7]"] {
                try storage.save(SubscriptionState())
                try Data(damage.utf8).write(to: file)
                #expect(try storage.load() == nil)
                try storage.save(SubscriptionState())
                #expect(try Data(contentsOf: file.appendingPathExtension("damaged")) == Data(damage.utf8))
            }
            #expect(throws: (any Error).self) { try JSONFileStorage(file: folder).load() }
        }
    }

    @Test("User defaults return the stored state under their own key")
    func userDefaults() async throws {
        let suite = "pushgate-tests-\(UUID().uuidString)"
        defer { UserDefaults().removePersistentDomain(forName: suite) }
        let storage = UserDefaultsStorage(suiteName: suite)
        #expect(try storage.load() == nil)
        let state = try await state()
        try storage.save(state)
        #expect(try UserDefaultsStorage(suiteName: suite).load() == state)
        #expect(try UserDefaultsStorage(suiteName: suite, key: "another").load() == nil)
    }

    @Test("Damaged user defaults are kept beside the new ones")
    func damagedDefaults() throws {
        let suite = "pushgate-tests-\(UUID().uuidString)"
        defer { UserDefaults().removePersistentDomain(forName: suite) }
        let defaults = try #require(UserDefaults(suiteName: suite))
        let storage = UserDefaultsStorage(suiteName: suite, key: "list")
        defaults.set(Data("{".utf8), forKey: "list")
        #expect(try storage.load() == nil)
        try storage.save(SubscriptionState())
        #expect(defaults.data(forKey: "list.damaged") == Data("{".utf8))
        #expect(try storage.load() == SubscriptionState())
    }

    @Test("A list of another version of the app is read as far as its fields are known")
    func versions() throws {
        let earlier = Data("{}".utf8)
        #expect(try JSONDecoder().decode(SubscriptionState.self, from: earlier) == SubscriptionState())
        let later = Data(
            #"""
            {"version":7,"installationID":"an-id","topics":["new"],
             "subscriptions":[{"chat":{"serverID":"one","cwd":"/srv/app","kind":"new"},"mood":"new"}]}
            """#.utf8)
        let state = try JSONDecoder().decode(SubscriptionState.self, from: later)
        #expect(state.installationID == "an-id" && state.subscriptions.map(\.chat) == [.one("/srv/app")])
        let written = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
        #expect(written.contains(#""version":1"#))
    }

    @Test("A stored state contains neither a secret nor a token")
    func secrecy() async throws {
        let state = try await state()
        let kept = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
        #expect(kept.contains("app"))
        for word in ["t0ken"] + Stage.secrets.values { #expect(!kept.contains(word)) }
    }
}
