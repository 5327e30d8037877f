import ArgumentParser
import Foundation
import HTTPTypes
import JSON

/// The verb `health`.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the gateway's health, for a container's health check. Exits with 0 or 1.")

    @OptionGroup var gateway: GatewayOptions

    private static let portVariable = "PUSHGATE_HTTP_PORT"

    func run() async throws {
        let answer = try await GatewayClient(baseURL: try await url()).succeed(
            .get, "/healthz", deadline: .seconds(5))
        print(gateway.json ? answer.text : "ok")
    }

    /// Returns the gateway's URL. Without an option, a port in the environment identifies the gateway on this machine.
    private func url() async throws -> String {
        guard gateway.server == nil, gateway.dataDirectory == nil,
            let port = ProcessInfo.variable(Self.portVariable)
        else {
            return try await gateway.baseURLWithoutSecrets()
        }
        guard let number = UInt16(port) else {
            throw CommandError("\(Self.portVariable) is “\(port)”, which is not a port: it takes a number up to 65535.")
        }
        return "http://127.0.0.1:\(number)"
    }
}
