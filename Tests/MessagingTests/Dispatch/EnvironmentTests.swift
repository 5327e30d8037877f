import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("The environment a token was found in")
struct EnvironmentTests {
    /// Sends to one phone, whose token is found in production, and says what its registration has then.
    private func remembered(
        _ fields: Fields, meanwhile: Fields? = nil, field: String? = "environment"
    ) async throws -> Value? {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { _ in
                await gate.pass()
                return .accepted(Acceptance(environment: .production))
            })
        let path = try DocumentPath("devices/phone")
        _ = try await bench.disk.documents.commit([.set(path, fields)])
        let target = Target(address: Address(token: "abc"), registration: path)
        var multicast = Multicast.sample([target])
        multicast.draft.registrationFields.environment = field
        try await bench.running {
            let delivery = try await bench.outbox.accept(multicast)
            try await eventually("it is on its way") { gate.waiting == 1 }
            if let meanwhile { _ = try await bench.disk.documents.commit([.set(path, meanwhile)]) }
            gate.open()
            try await bench.settled(delivery)
            try await eventually("it is told") { delivery.progress.sent == 1 }
        }
        return try await bench.disk.documents.document(at: path)?["environment"]
    }

    @Test("is remembered in the registration that named none")
    func remembers() async throws {
        #expect(try await remembered(["token": "abc"]) == "production")
    }

    @Test("does not take the place of one that the app has named, or of a token that the phone has replaced")
    func leaves() async throws {
        #expect(try await remembered(["token": "abc", "environment": "sandbox"]) == "sandbox")
        #expect(try await remembered(["token": "abc"], meanwhile: ["token": "def"]) == nil)
        #expect(try await remembered(["token": "abc"], field: nil) == nil)
    }
}
