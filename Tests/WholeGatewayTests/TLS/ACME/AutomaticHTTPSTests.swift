import Cryptography
import Foundation
import Settings
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

/// Gateways with certificates from a real ACME server, which refuses a third of all good nonces.
@Suite("HTTPS with a certificate that the gateway obtains", .timeLimit(.minutes(10)), .enabled(if: Pebble.isInstalled))
struct AutomaticHTTPSTests {
    private static let name = "push.example.com"

    private func httpsPort(of gateway: RunningGateway) async throws -> Int {
        let url = try #require(await gateway.gateway.listening()?.https)
        return try #require(url.split(separator: ":").last.flatMap { Int($0) })
    }

    private func certificate(_ gateway: RunningGateway, _ name: String = name) throws -> CertificateFacts? {
        let configuration = gateway.gateway.configuration
        return try ObtainedCertificates(configuration, logger: .silent).certificate(for: name)
    }

    private func expectObtained(_ gateway: RunningGateway, _ name: String = name) async throws {
        let isObtained = try await eventually {
            try certificate(gateway, name) != nil && gateway.gateway.missingCertificates.contains(name) == false
        }
        #expect(isObtained, "a certificate for \(name): \(gateway.log.lines.filter { $0.contains(name) })")
    }

    @Test("A gateway with two domains obtains a certificate for each, and clients trust them")
    func issue() async throws {
        try await Pebble.running { pebble in
            try await withTemporaryDirectory { folder in
                let names = [Self.name, "other.example.org"]
                try await withGateway(pebble.settings("Push.example.com, other.example.org")) { gateway in
                    let port = try await httpsPort(of: gateway)
                    #expect(await gateway.gateway.listening()?.https == "https://\(Self.name):\(port)")
                    for name in names { try await expectObtained(gateway, name) }
                    try await pebble.writeRoot(to: "\(folder)/root.pem")
                    for name in names {
                        let connection = try await TLSConnection.open(
                            port: port, trusting: "\(folder)/root.pem", name: name, protocols: ["http/1.1"])
                        let answer = try await connection.exchange("GET /healthz HTTP/1.1\r\nHost: \(name)\r\n\r\n")
                        #expect(answer.status == 200)
                        try await connection.close()
                    }
                    let terms = gateway.log.lines.filter { $0.contains("terms of service") }
                    #expect(terms.count == 1 && terms[0].contains("Do%20what%20thou%20wilt"))
                    #expect(!gateway.log.lines.contains { $0.hasPrefix("error") })
                }
            }
        }
    }

    @Test("Only the gateway's user can read the account's key and the certificate's")
    func access() async throws {
        try await Pebble.running { pebble in
            try await withGateway(pebble.settings(Self.name)) { gateway in
                try await expectObtained(gateway)
                let parent = "\(gateway.directory)/acme"
                let authority = try #require(try FileManager.default.contentsOfDirectory(atPath: parent).first)
                let files = try FileManager.default.contentsOfDirectory(atPath: "\(parent)/\(authority)")
                #expect(files.sorted() == ["account.key", "\(Self.name).pem"])
                for file in files {
                    #expect(FileAccess(of: "\(parent)/\(authority)/\(file)")?.openMode == nil, "\(file)")
                }
                let texts = try files.map {
                    try String(contentsOfFile: "\(parent)/\(authority)/\($0)", encoding: .utf8)
                }
                for line in texts.flatMap({ $0.split(separator: "\n") }) where !line.hasPrefix("-----") {
                    #expect(!gateway.log.lines.contains { $0.contains(line) })
                }
            }
        }
    }

    @Test("A restart uses the certificate of before, and asks the authority for nothing")
    func restart() async throws {
        try await Pebble.running { pebble in
            try await withDataDirectory { directory in
                let settings = pebble.settings(Self.name)
                let started = "obtaining a TLS certificate"
                try await ServingProcess.running(in: directory, settings) { gateway in
                    let isObtained = await eventually {
                        gateway.child.errorText.contains("using a TLS certificate")
                    }
                    #expect(isObtained && gateway.child.errorText.contains(started))
                    #expect(gateway.child.outputText.contains("(obtaining a certificate; see the log)"))
                }
                try await ServingProcess.running(in: directory, settings) { gateway in
                    #expect(gateway.child.errorText.contains("using a TLS certificate"))
                    #expect(!gateway.child.errorText.contains(started))
                    #expect(!gateway.child.outputText.contains("obtaining"))
                }
            }
        }
    }

    @Test("The command line lists the certificates and revokes one, and a damaged file is replaced at the next start")
    func commandLine() async throws {
        try await Pebble.running { pebble in
            try await withDataDirectory { directory in
                let settings = pebble.settings(Self.name)
                let options =
                    ["--data-directory", directory] + settings.flatMap { ["--set", "\($0.key)=\($0.value)"] }
                try await ServingProcess.running(in: directory, settings) { gateway in
                    let isObtained = await eventually {
                        gateway.child.errorText.contains("using a TLS certificate")
                    }
                    #expect(isObtained)
                }
                let list = try await PushgateProgram.run(["certificates", "list"] + options)
                #expect(list.output.hasPrefix("\(Self.name)\tvalid until 20"))
                let other = try await PushgateProgram.run(["certificates", "revoke", "other.example"] + options)
                #expect(other.exitCode == 1 && other.errors.contains("there is no certificate for other.example"))
                let revoked = try await PushgateProgram.run(
                    ["certificates", "revoke", Self.name, "--reason", "keyCompromise"] + options)
                #expect(revoked.exitCode == 0 && revoked.output.contains("has revoked the certificate"))
                let empty = try await PushgateProgram.run(["certificates"] + options)
                #expect(empty.output == "\(Self.name)\tno certificate yet\n")
                let folder = try FileManager.default.contentsOfDirectory(atPath: "\(directory)/acme")
                try "damaged".write(
                    toFile: "\(directory)/acme/\(try #require(folder.first))/\(Self.name).pem", atomically: true,
                    encoding: .utf8)
                try await ServingProcess.running(in: directory, settings) { gateway in
                    let isObtained = await eventually {
                        gateway.child.errorText.contains("using a TLS certificate")
                    }
                    #expect(isObtained)
                }
            }
        }
    }

    @Test("A redirect port that is taken ends the start with an error", .timeLimit(.minutes(10)))
    func takenPort() async throws {
        let (descriptor, port) = try loopbackSocket()
        defer { close(descriptor) }
        #expect(listen(descriptor, 1) == 0)
        let settings = [
            "http.acme.domains": Self.name, "http.acme.directory": "http://127.0.0.1:1/dir",
            "http.redirectPort": "\(port)", "http.tls.port": "0", "http.tls.host": "127.0.0.1",
        ]
        let error = await #expect(throws: GatewayError.self) { try await withGateway(settings) { _ in } }
        #expect(error?.description.contains("http.redirectPort") == true)
    }

    @Test("A name that leads elsewhere is refused with advice, and is tried again after a reload")
    func refusal() async throws {
        try await Pebble.running { pebble in
            try await pebble.lead(Self.name, to: "127.0.0.2")
            try await withGateway(pebble.settings(Self.name)) { gateway in
                #expect(
                    await eventually {
                        gateway.log.lines.contains { $0.contains("failed to obtain a TLS certificate") }
                    }, "the authority refuses")
                let line = try #require(gateway.log.lines.first { $0.contains("failed to obtain a TLS certificate") })
                #expect(line.contains("Check that http://\(Self.name) leads to http.redirectPort"), "\(line)")
                #expect(gateway.gateway.missingCertificates == [Self.name])
                try await pebble.lead(Self.name, to: "127.0.0.1")
                try gateway.gateway.reload(gateway.gateway.configuration)
                try await expectObtained(gateway)
            }
        }
    }

    @Test("One name that the authority does not certify does not hold up the other")
    func blockedName() async throws {
        try await Pebble.running(Pebble.Options(blockedNames: ["blocked.example.net"])) { pebble in
            try await withGateway(pebble.settings("blocked.example.net,\(Self.name)")) { gateway in
                try await expectObtained(gateway)
                #expect(gateway.gateway.missingCertificates == ["blocked.example.net"])
                #expect(gateway.log.lines.contains { $0.contains("rejectedIdentifier") })
            }
        }
    }

    @Test("A revoked certificate is revoked at the authority, and replaced after it")
    func revocation() async throws {
        try await Pebble.running { pebble in
            try await withGateway(pebble.settings(Self.name)) { gateway in
                try await expectObtained(gateway)
                let first = try #require(try certificate(gateway))
                #expect(try await pebble.status(of: first) == "Valid")
                let obtained = try ObtainedCertificates(gateway.gateway.configuration, logger: .silent)
                try await obtained.revoke(Self.name, reason: 1)
                #expect(try await pebble.status(of: first) == "Revoked")
                #expect(try certificate(gateway) == nil)
                try gateway.gateway.reload(gateway.gateway.configuration)
                try await expectObtained(gateway)
                let second = try #require(try certificate(gateway))
                #expect(second.serialNumber != first.serialNumber)
                #expect(try await pebble.status(of: second) == "Valid")
            }
        }
    }

    @Test("A certificate is replaced after two thirds of its life while the gateway serves")
    func renewal() async throws {
        try await Pebble.running(Pebble.Options(validity: 6)) { pebble in
            try await withGateway(pebble.settings(Self.name)) { gateway in
                try await expectObtained(gateway)
                let first = try #require(try certificate(gateway))
                #expect(
                    try await eventually {
                        try certificate(gateway).map { $0.serialNumber != first.serialNumber } ?? false
                    }, "there is another certificate")
                let second = try #require(try certificate(gateway))
                #expect(second.notBefore >= first.notBefore + 3)
            }
        }
    }

    @Test("An authority for customers only gets the customer's signature")
    func customer() async throws {
        let key = Base64URL.encode(RandomBytes.generate(32))
        let account = [
            "http.acme.externalAccount.keyId": "kid-1", "http.acme.externalAccount.hmacKey": key,
            "http.acme.email": "admin@example.com",
        ]
        try await Pebble.running(Pebble.Options(customer: ("kid-1", key))) { pebble in
            try await withGateway(pebble.settings(Self.name).merging(account) { $1 }) { gateway in
                try await expectObtained(gateway)
            }
        }
        try await Pebble.running(Pebble.Options(customer: ("kid-1", key))) { pebble in
            try await withGateway(pebble.settings(Self.name)) { gateway in
                let isRefused = await eventually {
                    gateway.log.lines.contains { $0.contains("Set http.acme.externalAccount") }
                }
                #expect(isRefused)
            }
        }
    }

    @Test("Before there is a certificate, a handshake fails and the challenge's port knows no token")
    func beforeTheFirst() async throws {
        try await Pebble.running(Pebble.Options(blockedNames: [Self.name])) { pebble in
            try await withGateway(pebble.settings(Self.name)) { gateway in
                let port = try await httpsPort(of: gateway)
                await #expect(throws: (any Error).self) {
                    let connection = try await TLSConnection.open(
                        port: port, trusting: pebble.caFile, name: Self.name, protocols: ["http/1.1"])
                    _ = try await connection.exchange("GET /healthz HTTP/1.1\r\nHost: \(Self.name)\r\n\r\n")
                }
                for (path, status) in [
                    ("/.well-known/acme-challenge/abc", 404), ("/.well-known/acme-challenge/", 404),
                    ("/.well-known/acme-challenge/../../healthz", 404), ("/.well-known/other", 308),
                ] {
                    let connection = try await TLSConnection.openPlain(port: pebble.challengePort)
                    let answer = try await connection.exchange(
                        "GET \(path) HTTP/1.1\r\nHost: \(Self.name)\r\nConnection: close\r\n\r\n")
                    #expect(answer.status == status, "\(path)")
                    try? await connection.close()
                }
            }
        }
    }
}
