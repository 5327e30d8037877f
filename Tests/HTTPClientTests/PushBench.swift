import APNsSimulator
import Cryptography
import Foundation
import HTTPClient
import HTTPTypes

/// A simulator, a client that trusts it, and requests that the simulator accepts.
struct PushBench: Sendable {
    let simulator: APNsSimulator
    let client: HTTPClient
    private let endpoint: String
    private let authorization: String

    /// - Parameters:
    ///   - configureSimulator: Changes a simulator that accepts any well-formed provider token.
    ///   - configureClient: Changes a client whose time limits suit a busy machine.
    init(
        simulator configureSimulator: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        client configureClient: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.makesProviderKey = false
        configureSimulator(&configuration)
        simulator = APNsSimulator(configuration: configuration)
        let addresses = try await simulator.start()
        endpoint = addresses.apns
        client = HTTPClient.forTest {
            $0.caFile = addresses.certificateAuthorityPath
            $0.connectTimeout = .seconds(60)
            $0.firstAnswerPatience = .seconds(60)
            configureClient(&$0)
        }
        authorization = try "bearer \(Self.providerToken(issuedAt: configuration.now().timeIntervalSince1970))"
    }

    /// Returns a request for the device whose token is `device` in hexadecimal.
    func push(to device: Int, deadline: Duration = .seconds(60)) -> HTTPClientRequest {
        let digits = String(device, radix: 16)
        let token = String(repeating: "0", count: 64 - digits.count) + digits
        return HTTPClientRequest(
            method: .post, url: "\(endpoint)/3/device/\(token)",
            headerFields: [
                .authorization: authorization, Self.topic: "com.example.app", Self.pushType: "alert",
                Self.priority: "10", Self.expiration: "0",
            ], body: Array(#"{"aps":{"alert":"Hello"}}"#.utf8), deadline: deadline)
    }

    /// Sends to `count` devices at once, and returns the number of each outcome, by status or kind of error.
    func burst(_ count: Int) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for device in 0..<count {
                group.addTask { await outcome(of: push(to: device)) }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    func outcome(of request: HTTPClientRequest) async -> String {
        do throws(HTTPClientError) {
            return "\(try await client.execute(request).statusCode)"
        } catch {
            return error.kind.rawValue
        }
    }

    private static func providerToken(issuedAt seconds: Double) throws -> String {
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"ABCDE12345"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"TEAM123456","iat":\#(Int(seconds))}"#.utf8)
        let signature = try ES256PrivateKey.generate().signature(for: Array("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(Base64URL.encode(signature))"
    }

    private static let topic = name("apns-topic")
    private static let pushType = name("apns-push-type")
    private static let priority = name("apns-priority")
    private static let expiration = name("apns-expiration")

    private static func name(_ text: String) -> HTTPField.Name {
        HTTPField.Name(text) ?? .contentType
    }
}
