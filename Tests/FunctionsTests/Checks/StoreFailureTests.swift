import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("A store that fails")
struct StoreFailureTests {
    private static let isUnavailable = FunctionResponse(
        status: .serviceUnavailable, headerFields: [.retryAfter: "5"],
        body: [
            "error": "unavailable",
            "message": "the gateway cannot write at the moment, so nothing was accepted; its log has the cause",
        ])
    private static let hasNoRoom = FunctionResponse(
        status: .serviceUnavailable, headerFields: [.retryAfter: "5"],
        body: ["error": "unavailable", "message": .string(.noRoom)])
    private static let isInternal = FunctionResponse(
        status: .internalServerError,
        body: ["error": "internal_error", "message": "the gateway failed; its log has the cause"])

    private func bench(failing code: StoreError.Code, commitsOnly: Bool = false) async throws -> Bench {
        let bench = try Bench()
        _ = try await bench.register()
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in throw StoreError(code, "cause-of-it") }
            guard !commitsOnly else { return }
            hooks.beforeRead = { _ throws(StoreError) in throw StoreError(code, "cause-of-it") }
            hooks.beforeQuery = { _ throws(StoreError) in throw StoreError(code, "cause-of-it") }
        }
        return bench
    }

    @Test(
        "A full or unavailable store makes each function answer 503",
        arguments: [StoreError.Code.resourceExhausted, .unavailable], [false, true])
    func unavailable(code: StoreError.Code, commitsOnly: Bool) async throws {
        let bench = try await bench(failing: code, commitsOnly: commitsOnly)
        let expected = code == .unavailable ? Self.isUnavailable : Self.hasNoRoom
        #expect(try await bench.register() == expected)
        #expect(try await bench.register(.register("new", secret: String(repeating: "n", count: 40))) == expected)
        #expect(try await bench.trigger() == expected)
        #expect(try await bench.unregister(.unregister()) == expected)
        #expect(try await bench.unregister(.unregister(cwd: "/srv/app")) == expected)
        #expect(bench.log.lines.count { $0.contains("cause-of-it") } == 5)
    }

    @Test(
        "Any other store error is an internal error, logged once with its cause and hidden from the caller",
        arguments: [StoreError.Code.internal, .dataLoss, .invalidArgument, .failedPrecondition, .aborted])
    func internalError(code: StoreError.Code) async throws {
        let bench = try await bench(failing: code, commitsOnly: true)
        #expect(try await bench.register() == Self.isInternal)
        #expect(try await bench.trigger() == Self.isInternal)
        #expect(try await bench.unregister(.unregister()) == Self.isInternal)
        #expect(bench.log.lines.count { $0.contains("cause-of-it") } == 3)
    }

    @Test("A trigger whose commit fails stores nothing and sends nothing")
    func nothingAccepted() async throws {
        let bench = try await bench(failing: .resourceExhausted, commitsOnly: true)
        let before = try await bench.documents()
        try await bench.running {
            let refused = try await bench.trigger()
            #expect(refused == Self.hasNoRoom)
            bench.store.set { $0.beforeCommit = { _ in } }
            let taken = try await bench.trigger()
            #expect(taken.body["sent"] == 1)
        }
        #expect(bench.transport.sent.count == 1)
        #expect(try await bench.documents().count == before.count + 1)
    }

    @Test("A new server whose registration failed does not count against the limit")
    func newServer() async throws {
        let bench = try Bench { $0.newServersPerHourPerAddress = 10 }
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        for _ in 0..<20 { #expect(try await bench.register() == Self.hasNoRoom) }
        bench.store.set { $0.beforeCommit = { _ in } }
        #expect(try await bench.register().status == .ok)
    }
}
