import APNsSimulator
import Foundation
import JSON

/// A listening simulator, and the key that it accepts.
struct RunningSimulatorFixture: Sendable {
    let simulator: APNsSimulator
    let addresses: APNsSimulatorAddresses
    let authorization: String

    /// Starts a simulator, runs the body, and shuts the simulator down, even if the body throws.
    static func run(
        _ configure: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        body: @Sendable (RunningSimulatorFixture) async throws -> Void
    ) async throws {
        var configuration = APNsSimulatorConfiguration()
        configure(&configuration)
        let simulator = APNsSimulator(configuration: configuration)
        let addresses = try await simulator.start()
        do {
            let now = JSONValue.integer(Int64(configuration.now().timeIntervalSince1970))
            let authorization = try SigningKey(of: addresses).authorization(issuedAt: now)
            try await body(Self(simulator: simulator, addresses: addresses, authorization: authorization))
        } catch {
            await simulator.shutdown()
            throw error
        }
        await simulator.shutdown()
    }

    func withFrames<Value: Sendable>(
        applicationProtocols: [String] = ["h2"],
        body: @Sendable (FrameClient, inout FrameClient.Frames) async throws -> Value
    ) async throws -> Value {
        try await FrameClient.run(
            addresses, authorization: authorization, applicationProtocols: applicationProtocols, body: body)
    }
}
