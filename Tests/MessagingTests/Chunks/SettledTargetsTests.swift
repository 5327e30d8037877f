import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("Settled targets")
struct SettledTargetsTests {
    private static let time = ManualClock.start
    private static let devices = Result { try CollectionPath("servers/s/agents/a/devices") }

    private func entry(
        _ registration: DocumentPath?, _ state: Chunk.State = .accepted, before seconds: Int = 0,
        failures: [Chunk.FailedAttempt] = []
    ) -> Chunk.Entry {
        var entry = Chunk.Entry(registration: registration, state: state)
        entry.settledAt = Self.time.adding(.seconds(-seconds))
        entry.failures = failures
        return entry
    }

    private func expectSame(_ read: [Chunk.Entry]?, _ written: [Chunk.Entry]) {
        #expect(read?.map(\.registration) == written.map(\.registration))
        #expect(read?.map(\.state) == written.map(\.state))
        #expect(read?.map(\.settledAt) == written.map(\.settledAt))
        #expect(read?.map(\.failures) == written.map(\.failures))
        #expect(read?.allSatisfy { $0.target == nil } == true)
    }

    @Test("Settled targets are a short text of ids, relative times and shared outcomes")
    func text() throws {
        let devices = try Self.devices.get()
        let failure = Chunk.FailedAttempt(
            at: Self.time.adding(.milliseconds(-2_410)), code: "server-unavailable", reason: "Shutdown")
        let bad = Chunk.State.rejected(code: "invalid-argument", reason: "BadTopic")
        let entries = [
            entry(try devices.document("my-phone"), before: 1), entry(nil, bad),
            entry(try devices.document("x"), bad, failures: [failure]),
        ]
        let settled = SettledTargets(entries, below: devices, settledAt: Self.time)
        #expect(settled.text == "my-phone 1000; 0 0;x 0 0,2410 1")
        #expect(settled.outcomes == ["invalid-argument BadTopic", "server-unavailable Shutdown"])
        expectSame(settled.entries(below: devices, settledAt: Self.time), entries)
    }

    @Test(
        "Settled targets keep ids with any characters",
        arguments: [
            "a b", "a;b", "a,b", "100%", "%20", "\"quoted\"", "back\\slash", "tab\tnew\nline", "\u{0}\u{1}", "ü", "👩‍👩‍👧",
            "\u{301}combining", "prepend\u{600}", " ", "1 2", "\u{7F}", "e\u{301}",
        ])
    func names(id: String) throws {
        let devices = try Self.devices.get()
        let entries = [entry(try devices.document("first")), entry(try devices.document(id)), entry(nil)]
        let settled = SettledTargets(entries, below: devices, settledAt: Self.time)
        let read = settled.entries(below: devices, settledAt: Self.time)
        #expect(
            read?.map { $0.registration.map { Array($0.id.utf8) } }
                == ["first", id, nil].map { $0.map { Array($0.utf8) } })
    }

    @Test("Settled targets of several collections keep whole paths, and no targets stay none")
    func paths() throws {
        let entries = [entry(try DocumentPath("devices/a")), entry(try DocumentPath("phones/b c"))]
        let settled = SettledTargets(entries, below: nil, settledAt: Self.time)
        expectSame(settled.entries(below: nil, settledAt: Self.time), entries)
        #expect(
            SettledTargets([], below: nil, settledAt: Self.time).entries(below: nil, settledAt: Self.time)?.isEmpty
                == true)
    }

    @Test(
        "A malformed text of settled targets is not read",
        arguments: [
            "x", "x y", "x 1 0", "x 1 -1", "x 1 a", "x 1 0 0", "x 1,2", "x 1,2 7", "%zz 1", "%2 1", "x 1;", "x 1,",
        ])
    func malformed(text: String) throws {
        let settled = SettledTargets(text: text, outcomes: [])
        #expect(settled.entries(below: try Self.devices.get(), settledAt: Self.time) == nil)
    }

    @Test("500 settled targets need a quarter of the bytes and keep each outcome")
    func size() async throws {
        let bench = try Bench()
        var targets: [Target] = []
        for number in 0..<500 {
            let id = "\(10_000_000 + number)-9E1B-4F63-8C52-6D1F2A3B4C5D"
            targets.append(try await bench.register(id, token: "token-\(number)"))
        }
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(targets))
            try await bench.settled(delivery)
            let document = try await bench.chunk(delivery.messageID)
            var old = document.fields
            old["settled"] = nil
            old["targets"] = .array(document.targets.map(Value.map))
            let now = try bytes(of: document.fields, document) / 500
            let before = try bytes(of: old, document) / 500
            print("bytes of a settled notification in its chunk: \(before) before, \(now) now")
            #expect(now * 4 < before)
            let record = try await DeliveryHistory(store: bench.store).delivery(of: delivery.messageID)
            #expect(record?.accepted == 500)
            #expect(record?.notifications.map(\.registration) == targets.map(\.registration))
        }
    }

    private func bytes(of fields: Fields, _ document: Document) throws -> Int {
        Document(path: document.path, fields: fields, createTime: Self.time, updateTime: Self.time)
            .json(in: DatabaseID(project: "test")).text.utf8.count
    }

    @Test("Settled targets in the form of older versions are read")
    func oldForm() async throws {
        let bench = try Bench()
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["a", "b"]))
            try await bench.settled(delivery)
            let document = try await bench.chunk(delivery.messageID)
            let settledAt = Value.timestamp(Self.time)
            var old = document.fields.filter { !["settled", "owner", "bytes"].contains($0.key) }
            old["registrations"] = "devices"
            old["targets"] = .array([
                .map(["state": "accepted", "device": "one", "at": settledAt]),
                .map(["state": "rejected", "code": "invalid-argument", "reason": "BadTopic", "at": settledAt]),
            ])
            _ = try await bench.disk.documents.commit([.set(document.path, old)])
            let record = try #require(try await DeliveryHistory(store: bench.store).delivery(of: delivery.messageID))
            #expect(record.accepted == 1 && record.rejected == [.invalidArgument: 1])
            let one = try DocumentPath("devices/one")
            #expect(record.notifications.first?.registration == one)
            #expect(record.notifications.allSatisfy { $0.settledAt == Self.time })
        }
    }
}
