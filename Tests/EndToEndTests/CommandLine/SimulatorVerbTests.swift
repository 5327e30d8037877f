import Cryptography
import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("pushgate apns-simulator", .timeLimit(.minutes(10)))
struct SimulatorVerbTests {
    private static let token = String(repeating: "ab", count: 32)

    /// A running simulator, and a client that trusts its certificate.
    private struct Stage {
        let child: ChildProcess
        let addresses: JSONValue
        let client: HTTPClient

        /// Sends a notification as an older client does: without a push type, and with a fractional `iat`.
        func push() async throws -> Int {
            let key = try ES256PrivateKey(
                pem: String(contentsOfFile: addresses["key_path"]?.string ?? "", encoding: .utf8))
            let header: JSONValue = ["alg": "ES256", "kid": addresses["key_id"] ?? .null]
            let claims: JSONValue = [
                "iss": addresses["team_id"] ?? .null, "iat": .double(Date.now.timeIntervalSince1970.rounded() + 0.25),
            ]
            let jwt = try CompactJWS(header: header.serialized, payload: claims.serialized, sign: key.signature)
            var fields: HTTPFields = [.authorization: "bearer \(jwt.text)"]
            if let name = HTTPField.Name("apns-topic") { fields[name] = "com.example.app" }
            return try await client.execute(
                HTTPClientRequest(
                    method: .post, url: (addresses["apns"]?.string ?? "") + "/3/device/" + token, headerFields: fields,
                    body: Array(#"{"aps":{"alert":"Done"}}"#.utf8))
            ).statusCode
        }

        func received() async throws -> JSONValue? {
            let url = (addresses["control"]?.string ?? "") + "/notifications"
            return try await withHTTPClient { client in
                try JSONValue(parsing: try await client.execute(HTTPClientRequest(url: url, version: .http1)).body)
            }["notifications"]?[0]
        }
    }

    private func running(_ options: [String], _ body: (Stage) async throws -> Void) async throws {
        let arguments = ["apns-simulator", "--port", "0", "--control-port", "0", "--json"] + options
        try await PushgateProgram.running(arguments) { child in
            try await eventually("the simulator listens") { child.outputText.hasSuffix("\n") || !child.isRunning }
            let addresses = try JSONValue(parsing: child.outputText)
            var configuration = HTTPClient.Configuration()
            configuration.caFile = addresses["ca_file"]?.string
            try await withHTTPClient(configuration) { client in
                try await body(Stage(child: child, addresses: addresses, client: client))
            }
        }
    }

    @Test("The simulator accepts deviations of older senders and records them, without a log line")
    func lenient() async throws {
        try await running([]) { stage in
            let (status, received) = (try await stage.push(), try await stage.received())
            #expect(status == 200 && received?["deviations"] == ["iat_float", "push_type_missing"])
            #expect(stage.child.errorText == "")
        }
    }

    @Test("The simulator with --strict refuses deviations, and logs the reason without the whole token")
    func strict() async throws {
        try await running(["--strict"]) { stage in
            let (status, received) = (try await stage.push(), try await stage.received())
            #expect(status == 403 && received?["reason"] == "InvalidProviderToken")
            try await eventually("the refusal is logged") { stage.child.errorText.hasSuffix("\n") }
            let line = stage.child.errorText
            #expect(line.contains("refused a notification") && line.contains("InvalidProviderToken"))
            #expect(line.contains("iat") && line.contains("com.example.app") && !line.contains(Self.token))
            #expect(line.split(separator: "\n").count == 1)
        }
    }
}
