import Cryptography
import Foundation
import HTTPClient
import HTTPTypes
import JSON
import Logging
import TestBasics

/// A phone with an address at the relay of the fuzzed gateway, so that messages with its secret are accepted.
struct FuzzPhone {
    private static let addresses = "/relay/v1/addresses"

    private let key: ES256PrivateKey
    private let client: HTTPClient
    private let url: String

    /// Registers a phone with a gateway that listens at a URL, and returns the values for the table of routes.
    static func values(at url: String) async throws -> [String: [String]] {
        let client = HTTPClient(logger: Logger(label: "phone") { _ in SwiftLogNoOpLogHandler() })
        let result: Result<[String: [String]], any Error>
        do {
            result = .success(try await FuzzPhone(key: .generate(), client: client, url: url).register())
        } catch {
            result = .failure(error)
        }
        await client.shutdown(within: .zero)
        return try result.get()
    }

    private func register() async throws -> [String: [String]] {
        let registered = try await call(Self.addresses, ["fcm": ["token": "emulated:relayed"]])
        let address = registered["address"]?.string ?? ""
        let secret = try await call("\(Self.addresses)/\(address.split(separator: "/").last ?? "")/secrets", [:])
        return ["relayAddress": [address], "relaySecret": [secret["send_secret"]?.string ?? ""]]
    }

    /// Makes a signed call, and returns the JSON of the answer.
    private func call(_ path: String, _ json: JSONValue) async throws -> JSONValue {
        let (body, time) = (json.serialized, String(Int64(Date().timeIntervalSince1970)))
        let digest = Hexadecimal.lowercase(SHA256.digest(of: body))
        let text = ["pushgate-relay-v1", "POST", path, time, digest].joined(separator: "\n")
        var fields: HTTPFields = [.contentType: "application/json"]
        for (name, value) in [
            ("Relay-Key", Base64URL.encode(try key.publicKey.point().bytes)), ("Relay-Time", time),
            ("Relay-Signature", Base64URL.encode(try key.signature(for: text.utf8))),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let response = try await client.execute(
            HTTPClientRequest(method: .post, url: url + path, headerFields: fields, body: body, version: .http1))
        let answer = String(decoding: response.body, as: UTF8.self)
        guard response.statusCode == 200 else { throw NotAsExpected(output: answer, errors: path) }
        return try JSONValue(parsing: response.body)
    }
}
