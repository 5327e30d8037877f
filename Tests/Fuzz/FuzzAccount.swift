import Cryptography
import Foundation
import JSON
import TestBasics

/// A service account of the fuzzed gateway.
struct FuzzAccount {
    private let file: JSONValue

    /// Makes an account with `pushgate init` before the gateway runs. The port in it does not matter.
    init(_ program: String, directory: String) async throws {
        let arguments = ["init"] + FuzzedGateway.arguments(["data.directory": directory, "http.port": "8080"])
        let result = try await ChildProcess.running(program, arguments) { try await $0.finish() }
        guard result.exitCode == 0, let data = FileManager.default.contents(atPath: directory + "/service-account.json")
        else { throw NotAsExpected(output: result.output, errors: result.errors) }
        file = try JSONValue(parsing: data)
    }

    /// Returns a signed assertion, to be exchanged for an access token.
    func assertion() throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        let header: JSONValue = ["alg": "RS256", "typ": "JWT", "kid": file["private_key_id"] ?? .null]
        let payload: JSONValue = [
            "iss": file["client_email"] ?? .null, "aud": "https://oauth2.googleapis.com/token", "iat": .integer(now),
            "exp": .integer(now + 3_600), "scope": "https://www.googleapis.com/auth/firebase.messaging",
        ]
        let key = try RS256PrivateKey(pem: file["private_key"]?.string ?? "")
        return try CompactJWS(header: header.serialized, payload: payload.serialized, sign: key.signature).text
    }
}
