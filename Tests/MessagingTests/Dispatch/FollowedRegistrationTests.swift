import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Messages that follow their registrations")
struct FollowedRegistrationTests {
    private static let body = "Sample body"

    private func draft(_ body: String = Self.body, collapseID: String? = nil, isFollowing: Bool = true) -> Draft {
        var draft = Draft.sample(body: body)
        var headers: [String: String] = [:]
        headers["apns-collapse-id"] = collapseID
        draft.message.apns = Message.APNsConfiguration(headers: headers)
        draft.followsRegistrations = isFollowing
        return draft
    }

    private func settled(_ deliveries: [Delivery], on bench: Bench) async throws {
        try await eventually("all settle", advancing: bench.clock, by: .milliseconds(100)) {
            for delivery in deliveries where try await !bench.isSettled(delivery.messageID) { return false }
            return true
        }
    }

    /// Waits until an attempt at a message has failed, and its failure is stored.
    private func failed(_ delivery: Delivery, on bench: Bench) async throws {
        try await eventually("the failure is stored") {
            try await bench.chunk(delivery.messageID).targets.contains { $0["failures"] != nil }
        }
    }

    @Test(
        "A message that waits goes to the token that its device has then, if it is to follow",
        arguments: [true, false])
    func waiting(isFollowing: Bool) async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .accepted })
        let target = try await bench.register("phone", token: "old")
        try await bench.running {
            let delivery = try await bench.outbox.accept(draft(isFollowing: isFollowing), to: [target])
            try await failed(delivery, on: bench)
            _ = try await bench.register("phone", token: "new")
            try await settled([delivery], on: bench)
        }
        #expect(bench.transport.tokens == ["old", isFollowing ? "new" : "old"])
        #expect(Set(bench.transport.sent.map(\.id)).count == 1)
    }

    @Test("The next process sends to the token that the device has registered meanwhile")
    func restart() async throws {
        let bench = try Bench()
        let target = try await bench.register("phone", token: "old")
        let delivery = try await bench.outbox.accept(draft(), to: [target])
        _ = try await bench.register("phone", token: "new")
        let next = try Bench(on: bench)
        try await next.running { try await settled([delivery], on: next) }
        #expect(next.transport.tokens == ["new"])
    }

    @Test("A message whose token is replaced while the push service refuses it is sent again, and nothing is removed")
    func invalidMeanwhile() async throws {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.token == "old" else { return .accepted }
                await gate.pass()
                return .dead
            })
        let target = try await bench.register("phone", token: "old")
        try await bench.running {
            let delivery = try await bench.outbox.accept(draft(), to: [target])
            try await eventually("it is in flight") { gate.waiting == 1 }
            _ = try await bench.register("phone", token: "new")
            gate.open()
            try await settled([delivery], on: bench)
            #expect(delivery.progress.sent == 1 && delivery.progress.pruned == 0)
        }
        #expect(bench.transport.tokens == ["old", "new"])
        #expect(try await bench.exists(target))
    }

    @Test("An invalid token that is the device's present one is rejected, and its registration removed")
    func invalid() async throws {
        let bench = try Bench(ScriptedTransport { _ in .dead })
        let target = try await bench.register("phone", token: "old")
        try await bench.running {
            let delivery = try await bench.outbox.accept(draft(), to: [target])
            try await bench.settled(delivery)
        }
        #expect(bench.transport.tokens == ["old"])
        #expect(try await !bench.exists(target))
    }

    @Test("A message to an address whose secrets are replaced meanwhile is sent with the new ones")
    func secretsReplaced() async throws {
        let path = try CollectionPath("devices").document("phone")
        func address(_ secret: String) -> PushAddress {
            PushAddress(
                transport: .fcm, token: RegistrationToken("relay"),
                attributes: AddressAttributes(secrets: ["send_secret": secret]))
        }
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.attempt == 1 else { return .accepted }
                await gate.pass()
                return .dead
            })
        let draft = draft()
        func register(_ secret: String) async throws {
            _ = try await bench.disk.documents.commit([
                .set(path, draft.registrationFields.fields(of: address(secret)))
            ])
        }
        try await register("old")
        try await bench.running {
            let delivery = try await bench.outbox.accept(
                draft, to: [Target(address: address("old"), registration: path)])
            try await eventually("it is in flight") { gate.waiting == 1 }
            try await register("new")
            gate.open()
            try await settled([delivery], on: bench)
        }
        let secrets = bench.transport.sent.map { $0.target.address.attributes.secrets["send_secret"] }
        #expect(secrets == ["old", "new"])
        #expect(try await bench.disk.documents.document(at: path) != nil)
    }

    @Test("A message to the new token replaces one that waits under the former one")
    func newest() async throws {
        let bench = try Bench(ScriptedTransport { $0.token == "old" ? .busy : .accepted })
        let target = try await bench.register("phone", token: "old")
        try await bench.running {
            let old = try await bench.outbox.accept(draft("old", collapseID: "chat"), to: [target])
            try await failed(old, on: bench)
            let present = try await bench.register("phone", token: "new")
            bench.clock.advance(by: .microseconds(1))
            let new = try await bench.outbox.accept(draft("new", collapseID: "chat"), to: [present])
            try await settled([old, new], on: bench)
            #expect(try await bench.chunk(old.messageID).settledStates == ["superseded"])
        }
        #expect(bench.transport.sent.map(\.message.message.notification?.body) == ["old", "new"])
    }

    @Test("A token of another app, or a registration that is gone, is not followed")
    func otherLane() async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .accepted })
        let moved = try await bench.register("a", token: "a-old")
        let gone = try await bench.register("b", token: "b-old")
        try await bench.running {
            let deliveries = [
                try await bench.outbox.accept(draft(), to: [moved]), try await bench.outbox.accept(draft(), to: [gone]),
            ]
            for delivery in deliveries { try await failed(delivery, on: bench) }
            let (first, second) = (try #require(moved.registration), try #require(gone.registration))
            _ = try await bench.disk.documents.commit([
                .set(first, ["token": "a-new", "bundleId": "com.example.other"]), .delete(second),
            ])
            try await settled(deliveries, on: bench)
        }
        #expect(bench.transport.tokens.sorted() == ["a-old", "a-old", "b-old", "b-old"])
    }

    @Test("An address moves to a lane of its app, with or without an environment, and to no other")
    func lanes() {
        func address(_ environment: String?, _ bundleID: String? = "app") -> PushAddress {
            PushAddress(
                transport: .apns, token: RegistrationToken("a1"),
                attributes: AddressAttributes(app: AppIdentity(bundleID: bundleID, environment: environment)))
        }
        func lane(_ environment: String?) -> Lane {
            Lane(transport: .apns, app: AppIdentity(bundleID: "app", environment: environment))
        }
        for environment in [nil, "sandbox"] {
            let moved = address(environment).moved(to: lane(nil))
            #expect(moved == address(nil), "\(environment ?? "none")")
        }
        #expect(address("sandbox").moved(to: lane("sandbox")) == address("sandbox"))
        #expect(address("sandbox").moved(to: lane("production")) == nil)
        #expect(address(nil).moved(to: lane("sandbox")) == nil)
        #expect(address(nil, "other").moved(to: lane(nil)) == nil)
        #expect(address(nil).moved(to: Lane(transport: .fcm, app: AppIdentity(bundleID: "app"))) == nil)
    }
}
