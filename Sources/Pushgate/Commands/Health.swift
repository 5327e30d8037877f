import ArgumentParser
import Foundation
import HTTPTypes
import JSON

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the gateway whether it is well; exits with 0 or 1. What a container's health check runs.")

    @OptionGroup var gateway: GatewayOptions

    private static let portVariable = "PUSHGATE_HTTP_PORT"

    func run() async throws {
        let answer = try await GatewayClient(baseURL: try url()).succeed(
            .get, "/healthz", deadline: .seconds(5))
        print(gateway.json ? answer.text : "ok")
    }

    /// As for every verb; but a configured port says where to look, too.
    private func url() throws -> String {
        guard gateway.server == nil, gateway.dataDirectory == nil,
            let port = ProcessInfo.variable(Self.portVariable)
        else {
            return try gateway.baseURLWithoutSecrets()
        }
        guard let number = UInt16(port) else {
            throw CommandError("\(Self.portVariable) is “\(port)”, and no port: it takes a number up to 65535.")
        }
        return "http://127.0.0.1:\(number)"
    }
}
