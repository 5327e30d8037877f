import APNsSimulator
import Foundation
import JSON

/// A simulator that listens, and the key it believes.
struct RunningSimulatorFixture: Sendable {
    let simulator: APNsSimulator
    let addresses: APNsSimulatorAddresses
    let authorization: String

    /// Starts a simulator, and shuts it down when the body is done, however it ends.
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
