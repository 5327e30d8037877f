import Cryptography
import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// Pebble, Let's Encrypt's own test authority, with a DNS server that leads all names to this machine.
struct Pebble {
    /// The options of the authority.
    struct Options {
        /// The percentage of good nonces that the authority refuses.
        var refusedNonces = 30
        /// Names that the authority does not certify.
        var blockedNames: [String] = []
        /// The key id and the key, in base64url, of the only customer; `nil` to serve everybody.
        var customer: (keyID: String, key: String)?
        /// The validity of certificates in seconds; `nil` for five years.
        var validity: Int?
    }

    /// The port on which it looks for the proof of a name.
    let challengePort: Int
    /// The URL of its directory.
    let directory: String
    /// The path of the certificate to trust for connections to it.
    let caFile: String
    private let management: String
    private let dns: String
    private let client: HTTPClient

    /// `true` if the authority can be run.
    static let isInstalled = ["pebble", "pebble-challtestsrv"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// Runs the authority for the body.
    static func running(_ options: Options = Options(), _ body: (Pebble) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let ports = try (0..<5).map { _ in try unusedPort() }
            let caFile = try writeFiles(options, ports, folder)
            let environment = [
                "PEBBLE_WFE_NONCEREJECT": "\(options.refusedNonces)", "PEBBLE_VA_NOSLEEP": "1",
                "PEBBLE_AUTHZREUSE": "50",
            ]
            let dns = "127.0.0.1:\(ports[3])"
            try await ChildProcess.running(
                "/usr/bin/pebble-challtestsrv",
                [
                    "-dns01", dns, "-management", "127.0.0.1:\(ports[4])", "-http01", "", "-https01", "", "-tlsalpn01",
                    "", "-defaultIPv6", "",
                ]
            ) { _ in
                try await ChildProcess.running(
                    "/usr/bin/pebble", ["-config", "\(folder)/pebble.json", "-strict", "-dnsserver", dns],
                    environment: environment
                ) { _ in
                    var configuration = HTTPClient.Configuration()
                    configuration.caFile = caFile
                    let directory = "https://127.0.0.1:\(ports[0])/dir"
                    try await withHTTPClient(configuration) { client in
                        // Its log names the directory before its ports are open.
                        try await eventually("pebble answers") {
                            (try? await client.execute(HTTPClientRequest(url: directory))) != nil
                        }
                        try await body(
                            Pebble(
                                challengePort: ports[2], directory: directory, caFile: caFile,
                                management: "https://127.0.0.1:\(ports[1])", dns: "http://127.0.0.1:\(ports[4])",
                                client: client))
                    }
                }
            }
        }
    }

    private static func writeFiles(_ options: Options, _ ports: [Int], _ folder: String) throws -> String {
        let authority = try CertificateAuthority(commonName: "Pebble's own", validity: .seconds(86_400))
        let issued = try authority.issue(
            commonName: "pebble", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], validity: .seconds(86_400))
        var members: [(name: String, value: JSONValue)] = [
            ("listenAddress", .string("127.0.0.1:\(ports[0])")),
            ("managementListenAddress", .string("127.0.0.1:\(ports[1])")),
            ("certificate", .string("\(folder)/cert.pem")), ("privateKey", .string("\(folder)/key.pem")),
            ("httpPort", .integer(Int64(ports[2]))), ("tlsPort", 1), ("ocspResponderURL", ""),
            ("externalAccountBindingRequired", .bool(options.customer != nil)),
            ("domainBlocklist", .array(options.blockedNames.map { .string($0) })),
        ]
        if let customer = options.customer {
            members.append(
                ("externalAccountMACKeys", .object(JSONObject([(customer.keyID, .string(customer.key))]))))
        }
        if let validity = options.validity {
            members.append(("certificateValidityPeriod", .integer(Int64(validity))))
        }
        let configuration: JSONValue = ["pebble": .object(JSONObject(members))]
        for (name, text) in [
            ("pebble.json", configuration.text), ("cert.pem", issued.certificatePEM), ("key.pem", issued.privateKeyPEM),
            ("ca.pem", authority.certificatePEM),
        ] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        return "\(folder)/ca.pem"
    }

    /// Writes the authority's root certificate to a file, which clients of the certified servers trust.
    func writeRoot(to path: String) async throws {
        let answer = try await client.execute(HTTPClientRequest(url: "\(management)/roots/0"))
        try String(decoding: answer.body, as: UTF8.self).write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Returns the state of a certificate: `Valid` or `Revoked`.
    func status(of certificate: CertificateFacts) async throws -> String? {
        let serial = certificate.serialNumber.drop { $0 == 0 }.map { String(format: "%02x", $0) }.joined()
        let answer = try await client.execute(
            HTTPClientRequest(url: "\(management)/cert-status-by-serial/\(serial.drop { $0 == "0" })"))
        return try JSONValue(parsing: answer.body)["Status"]?.string
    }

    /// Lets a name lead to an address of this machine.
    func lead(_ name: String, to address: String) async throws {
        for (path, body): (String, JSONValue) in [
            ("clear-a", ["host": .string("\(name).")]),
            ("add-a", ["host": .string("\(name)."), "addresses": [.string(address)]]),
        ] {
            _ = try await client.execute(
                HTTPClientRequest(method: .post, url: "\(dns)/\(path)", body: body.serialized))
        }
    }

    /// The settings of a gateway with certificates from here.
    func settings(_ domains: String) -> [String: String] {
        [
            "http.acme.domains": domains, "http.acme.directory": directory, "http.acme.caFile": caFile,
            "http.redirectPort": "\(challengePort)", "http.tls.port": "0", "http.tls.host": "127.0.0.1",
        ]
    }
}
