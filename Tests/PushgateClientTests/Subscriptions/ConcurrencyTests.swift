import Foundation
import PushgateClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Concurrent calls of the client library", .timeLimit(.minutes(10)))
struct ConcurrencyTests {
    /// Opens a chat twenty times while the gateway delays its first answer.
    ///
    /// - Parameter cancelled: `true` to cancel the first of the calls.
    private func openings(
        of stage: Stage, firstIsCancelled cancelled: Bool = false
    ) async throws -> [Result<SubscriptionOutcome, PushClientError>] {
        try await stage.phone.tokenDidChange(to: "t0ken")
        await stage.gateway.hold()
        let first = Task { await opening(of: stage) }
        await stage.gateway.arrived(1)
        return await withTaskGroup { openings in
            for _ in 0..<19 { openings.addTask { await opening(of: stage) } }
            await stage.directory.wasRead(22)
            #expect(await stage.gateway.calls.count == 1)
            if cancelled { first.cancel() }
            await stage.gateway.release()
            return await openings.reduce(into: [await first.value]) { $0.append($1) }
        }
    }

    private func opening(of stage: Stage) async -> Result<SubscriptionOutcome, PushClientError> {
        do throws(PushClientError) {
            return .success(try await stage.phone.subscribe(to: .one("/srv/app")))
        } catch {
            return .failure(error)
        }
    }

    @Test("Concurrent openings of a chat register it once")
    func once() async throws {
        let stage = try Stage()
        let outcomes = try await openings(of: stage)
        #expect(await stage.gateway.calls.count == 1)
        #expect(outcomes.first == .success(.registered))
        #expect(outcomes.dropFirst().allSatisfy { $0 == .success(.unchanged) })
        #expect(try await stage.phone.subscriptions().count == 1)
    }

    @Test("Concurrent openings share one failed request to a gateway that hangs")
    func sharedFailure() async throws {
        let stage = try Stage()
        await stage.gateway.answer { _ in throw URLError(.timedOut) }
        let outcomes = try await openings(of: stage)
        #expect(await stage.gateway.calls.count == 1)
        #expect(outcomes.allSatisfy { $0 == .failure(.unreachable(reason: "timed out")) })
        await stage.gateway.answer(GatewayResponse(status: 200))
        #expect(try await stage.phone.subscribe(to: .one("/srv/app")) == .registered)
    }

    @Test("Concurrent openings go on if the first one is cancelled")
    func cancelled() async throws {
        let stage = try Stage()
        await stage.gateway.answer { _ in
            try Task.checkCancellation()
            return GatewayResponse(status: 200)
        }
        let outcomes = try await openings(of: stage, firstIsCancelled: true)
        #expect(await stage.gateway.calls.count == 2)
        #expect(outcomes.first == .failure(.cancelled))
        #expect(outcomes.count { $0 == .success(.registered) } == 1)
        #expect(outcomes.count { $0 == .success(.unchanged) } == 18)
    }

    @Test("A cancelled opening returns at once, while another's request is still open")
    func cancelledWaiter() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        await stage.gateway.hold()
        async let first = opening(of: stage)
        await stage.gateway.arrived(1)
        let second = Task { await opening(of: stage) }
        await stage.directory.wasRead(4)
        async let third = opening(of: stage)
        await stage.directory.wasRead(5)
        second.cancel()
        #expect(await second.value == .failure(.cancelled))
        await stage.gateway.release()
        #expect(await first == .success(.registered))
        #expect(await third == .success(.unchanged))
        #expect(await stage.gateway.calls.count == 1)
    }

    @Test("A waiting request uses the server's secret at the time it is sent")
    func newerSecret() async throws {
        let stage = try Stage(servers: ["one"])
        try await stage.phone.tokenDidChange(to: "t0ken")
        await stage.gateway.hold()
        async let first = stage.phone.subscribe(to: .one("/srv/a"))
        await stage.gateway.arrived(1)
        async let second = stage.phone.subscribe(to: .one("/srv/b"))
        await stage.directory.wasRead(4)
        let one = try #require(Stage.server("one"))
        let newer = PushServer(id: "one", secret: .random(), gateway: one.gateway)
        stage.directory.set([newer])
        await stage.gateway.release()
        _ = try await (first, second)
        let calls = await stage.gateway.calls
        #expect(calls.last { $0.cwd == "/srv/b" }?.secret == newer.secret.value)
        #expect(calls.last { $0.cwd == "/srv/a" }?.secret == newer.secret.value)
    }

    @Test("A waiting request to a server that was removed is not sent")
    func goneServer() async throws {
        let stage = try Stage(servers: ["one"])
        try await stage.phone.tokenDidChange(to: "t0ken")
        await stage.gateway.hold()
        async let first = stage.phone.subscribe(to: .one("/srv/a"))
        await stage.gateway.arrived(1)
        async let second = stage.phone.subscribe(to: .one("/srv/b"))
        await stage.directory.wasRead(4)
        stage.directory.set([])
        await stage.gateway.answer(GatewayResponse(status: 500))
        await stage.gateway.release()
        _ = try? await first
        #expect(try await second == .pushNotEnabled)
        #expect(await stage.gateway.calls.count == 1)
    }

    @Test("A newer token is sent after the open request with the older one")
    func newerToken() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "older")
        await stage.gateway.hold()
        async let opening = stage.phone.subscribe(to: .one("/srv/app"))
        await stage.gateway.arrived(1)
        async let replay = stage.phone.tokenDidChange(to: "newer")
        await stage.directory.wasRead(4)
        #expect(await stage.gateway.calls.map(\.token) == ["older"])
        await stage.gateway.release()
        _ = try await (opening, replay)
        #expect(await stage.gateway.calls.map(\.token) == ["older", "newer"])
    }

    @Test("An unsubscription is sent after the open registration")
    func unsubscribed() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        await stage.gateway.hold()
        async let opening = stage.phone.subscribe(to: .one("/srv/app"))
        await stage.gateway.arrived(1)
        async let leaving: Void = stage.phone.unsubscribe(from: .one("/srv/app"))
        await stage.directory.wasRead(4)
        #expect(await stage.gateway.calls.map(\.function) == ["registerSubscription"])
        await stage.gateway.release()
        _ = try await (opening, leaving)
        #expect(await stage.gateway.calls.map(\.function) == ["registerSubscription", "unregisterSubscription"])
        #expect(try await stage.phone.subscriptions().isEmpty)
        #expect(try await stage.phone.registerPending() == ReplayReport())
    }

    @Test("Requests to one server do not wait for another server")
    func otherServer() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        await stage.gateway.hold()
        async let slow = stage.phone.subscribe(to: .one("/srv/app"))
        await stage.gateway.arrived(1)
        async let other = stage.phone.subscribe(to: .two("/srv/app"))
        await stage.gateway.arrived(2)
        await stage.gateway.release()
        #expect(try await slow == .registered)
        #expect(try await other == .registered)
    }
}
