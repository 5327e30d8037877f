import APNsSimulator
import Cryptography
import Foundation
import HTTP2Client
import Logging
import TestDoubles
import Testing

/// A simulator, a client that trusts it, and requests that the simulator accepts.
struct PushBench: Sendable {
    let simulator: APNsSimulator
    let client: HTTP2Client
    /// The port of the simulator.
    let port: Int
    private let headers: PreparedHeaders
    private let authorization: String

    /// - Parameters:
    ///   - configureSimulator: Changes a simulator that accepts any well-formed provider token.
    ///   - configureClient: Changes a client whose time limits suit a busy machine.
    init(
        simulator configureSimulator: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        client configureClient: (inout HTTP2Client.Configuration) -> Void = { _ in }, logger: Logger = .silent
    ) async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.makesProviderKey = false
        configureSimulator(&configuration)
        simulator = APNsSimulator(configuration: configuration)
        let addresses = try await simulator.start()
        let origin = try #require(HTTP2Origin(addresses.apns))
        port = origin.port
        headers = PreparedHeaders(
            origin: origin, pathPrefix: "/3/device/",
            [
                ("apns-topic", "com.example.app"), ("apns-push-type", "alert"), ("apns-priority", "10"),
                ("apns-expiration", "0"),
            ])
        client = HTTP2Client.forTest(logger) {
            $0.caFile = addresses.certificateAuthorityPath
            $0.connectTimeout = .seconds(60)
            $0.firstAnswerPatience = .seconds(60)
            configureClient(&$0)
        }
        authorization = try "bearer \(Self.providerToken(issuedAt: configuration.now().timeIntervalSince1970))"
    }

    /// Returns a request for the device whose token is `device` in hexadecimal.
    func push(to device: Int, deadline: Duration = .seconds(60), usesNewConnection: Bool = false) -> HTTP2Request {
        let digits = String(device, radix: 16)
        let token = String(repeating: "0", count: 64 - digits.count) + digits
        return HTTP2Request(
            headers, path: token,
            fields: [HTTP2Request.Field("authorization", authorization, isRepeated: true)],
            body: Array(#"{"aps":{"alert":"Hello"}}"#.utf8), deadline: deadline, usesNewConnection: usesNewConnection)
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

    func outcome(of request: HTTP2Request) async -> String {
        do throws(HTTP2ClientError) {
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
}
