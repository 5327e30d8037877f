import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("The environment of a token")
struct EnvironmentTests {
    /// Sends to one device whose token is found in production, and returns the environment in its registration.
    private func remembered(
        _ fields: Fields, meanwhile: Fields? = nil, field: String? = "environment"
    ) async throws -> Value? {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { _ in
                await gate.pass()
                return .accepted(Acceptance(found: AppIdentity(environment: "production")))
            })
        let path = try DocumentPath("devices/phone")
        _ = try await bench.disk.documents.commit([.set(path, fields)])
        let target = Target(address: PushAddress(token: "abc"), registration: path)
        var multicast = Multicast.sample([target])
        multicast.draft.registrationFields.environment = field
        try await bench.running {
            let delivery = try await bench.outbox.accept(multicast)
            try await eventually("the notification is in flight") { gate.waiting == 1 }
            if let meanwhile { _ = try await bench.disk.documents.commit([.set(path, meanwhile)]) }
            gate.open()
            try await bench.settled(delivery)
            try await eventually("the outcome is reported") { delivery.progress.sent == 1 }
        }
        return try await bench.disk.documents.document(at: path)?["environment"]
    }

    @Test("A registration without an environment stores the one in which its token was found")
    func remembers() async throws {
        #expect(try await remembered(["token": "abc"]) == "production")
    }

    @Test("A found environment does not replace the app's own or that of a newer token")
    func leaves() async throws {
        #expect(try await remembered(["token": "abc", "environment": "sandbox"]) == "sandbox")
        #expect(try await remembered(["token": "abc"], meanwhile: ["token": "def"]) == nil)
        #expect(try await remembered(["token": "abc"], field: nil) == nil)
    }
}
