import APNsSimulator
import FCMRelay
import GoogleStandIn
import HTTPClient
import Messaging
import Testing

/// Tests of the transport on an HTTP/2 connection that ends during a request.
///
/// The server is the simulator of Apple's side, whose connections can be scripted. It does not know FCM's path: its
/// own answer is a 404, which shows that the request arrived.
@Suite("The FCM transport on connections that end", .timeLimit(.minutes(10)))
struct FCMRelayConnectionTests {
    @Test("An answer over HTTP/2 reaches the FCM transport")
    func answer() async throws {
        try await onConnection(ConnectionScript()) { simulator, outcome in
            #expect(outcome == .rejected(Rejection(code: .invalidArgument, reason: "HTTP404")))
            #expect(simulator.counters.connectionsOpened == 1)
        }
    }

    @Test(
        "A request on a connection that breaks or goes away fails and is not sent again at once",
        arguments: [ConnectionScript.breaking, .goingAway])
    func noAnswer(script: ConnectionScript) async throws {
        try await onConnection(script) { simulator, outcome in
            #expect(outcome == .failed(Failure(code: .serverUnavailable, reason: "connectionLost")))
            #expect(simulator.counters.connectionsOpened == 1)
            #expect(simulator.counters.requests == 0)
        }
    }

    /// Sends one message. The first connection follows the script; later ones have no faults.
    private func onConnection(
        _ script: ConnectionScript, _ body: (APNsSimulator, Outcome) throws -> Void
    ) async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.connections = [script]
        configuration.gracePeriod = .milliseconds(100)
        let simulator = APNsSimulator(configuration: configuration)
        let addresses = try await simulator.start()
        do {
            try await withGoogle { google in
                let stage = try Stage(google, endpoint: addresses.apns, caFile: addresses.certificateAuthorityPath)
                try body(simulator, await stage.send(Message(data: ["k": "v"]), to: "token"))
            }
        } catch {
            await simulator.shutdown()
            throw error
        }
        await simulator.shutdown()
    }
}

extension ConnectionScript {
    /// Answers the first request with a reset.
    fileprivate static let breaking = script { $0.breakage = ConnectionBreakage(afterRequests: 0) }
    /// Answers the first request with a GOAWAY that leaves it out.
    fileprivate static let goingAway = script { $0.goAway = ScriptedGoAway(afterRequests: 1, leavesOutLast: true) }

    private static func script(_ change: (inout ConnectionScript) -> Void) -> ConnectionScript {
        var script = ConnectionScript()
        change(&script)
        return script
    }
}
