import Cryptography
import Foundation
import HTTPClient
import Testing

/// Tests against `openssl s_server`, whose TLS is independent of this project.
@Suite("TLS of HTTPClient", .timeLimit(.minutes(10)), .enabled(if: TLSServer.isAvailable, "needs the openssl tool"))
struct TLSTests {
    let authority: CertificateAuthority

    init() throws {
        authority = try CertificateAuthority(commonName: "Test authority", validity: .seconds(3_600))
    }

    private func failure(serverNames: [String], clientTrusts trusted: CertificateAuthority) async throws
        -> HTTPClientError?
    {
        let issued = try authority.issue(
            commonName: "test", dnsNames: serverNames, ipAddresses: [], validity: .seconds(3_600))
        let server = try TLSServer(issued)
        let caFile = try TemporaryFile(trusted.certificatePEM)
        let client = HTTPClient.forTest { $0.caFile = caFile.path }
        return await client.failure(of: HTTPClientRequest(url: "https://localhost:\(server.port)/"))
    }

    @Test("A certificate of the configured authority is accepted, with HTTP/1.1 if HTTP/2 is not offered")
    func accepted() async throws {
        let issued = try authority.issue(
            commonName: "test", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], validity: .seconds(3_600))
        let server = try TLSServer(issued)
        let caFile = try TemporaryFile(authority.certificatePEM)
        let client = HTTPClient.forTest { $0.caFile = caFile.path }
        for host in ["localhost", "127.0.0.1"] {
            let response = try await client.execute(HTTPClientRequest(url: "https://\(host):\(server.port)/"))
            #expect(response.statusCode == 200)
            #expect(response.version == .http1)
        }
    }

    @Test("A certificate of another authority is refused before a request is sent")
    func unknownAuthority() async throws {
        let other = try CertificateAuthority(commonName: "Other authority", validity: .seconds(3_600))
        let error = try await failure(serverNames: ["localhost"], clientTrusts: other)
        #expect(error?.kind == .tls)
        #expect(error?.isUnprocessed == true)
    }

    @Test("A certificate for another name is refused")
    func otherName() async throws {
        let error = try await failure(serverNames: ["example.org"], clientTrusts: authority)
        #expect(error?.kind == .tls)
        #expect(error?.message.contains("example.org") == true || error?.message.contains("localhost") == true)
    }

    @Test("A missing CA file gives a TLS error")
    func missingFile() async throws {
        let client = HTTPClient.forTest { $0.caFile = "/nonexistent/authorities.pem" }
        let server = try ScriptedServer.silent()
        let error = await client.failure(of: HTTPClientRequest(url: "https://127.0.0.1:\(server.port)/"))
        #expect(error?.kind == .tls)
        #expect(error?.isUnprocessed == true)
        #expect(error?.message.contains("/nonexistent/authorities.pem") == true, "\(String(describing: error))")
    }

    @Test("The authorities are read once for all connections of a client, and again if they could not be read")
    func readOnce() async throws {
        let issued = try authority.issue(
            commonName: "test", dnsNames: ["localhost"], ipAddresses: [], validity: .seconds(3_600))
        let servers = try [TLSServer(issued), TLSServer(issued)]
        let caFile = try TemporaryFile(authority.certificatePEM)
        let pem = try String(contentsOfFile: caFile.path, encoding: .utf8)
        let client = HTTPClient.forTest { $0.caFile = caFile.path }
        func status(_ server: TLSServer) async throws -> Int {
            try await client.execute(HTTPClientRequest(url: "https://localhost:\(server.port)/")).statusCode
        }
        try FileManager.default.removeItem(atPath: caFile.path)
        await #expect(throws: HTTPClientError.self) { try await status(servers[0]) }
        try pem.write(toFile: caFile.path, atomically: true, encoding: .utf8)
        #expect(try await status(servers[0]) == 200)
        // Another server has a connection of its own.
        try FileManager.default.removeItem(atPath: caFile.path)
        #expect(try await status(servers[1]) == 200)
    }

    @Test("A changed file of authorities applies to the next connection")
    func changedFile() async throws {
        let other = try CertificateAuthority(commonName: "Other authority", validity: .seconds(3_600))
        let servers = try [authority, other].map { authority in
            try TLSServer(
                authority.issue(
                    commonName: "test", dnsNames: ["localhost"], ipAddresses: [], validity: .seconds(3_600)))
        }
        let caFile = try TemporaryFile(authority.certificatePEM)
        let client = HTTPClient.forTest { $0.caFile = caFile.path }
        func failure(_ server: TLSServer) async -> HTTPClientError? {
            await client.failure(of: HTTPClientRequest(url: "https://localhost:\(server.port)/"))
        }
        #expect(await failure(servers[0]) == nil)
        #expect(await failure(servers[1])?.kind == .tls)
        try other.certificatePEM.write(toFile: caFile.path, atomically: true, encoding: .utf8)
        #expect(await failure(servers[1]) == nil)
        // The file is deleted with this reference.
        withExtendedLifetime(caFile) {}
    }

    @Test("A server without TLS gives a TLS error")
    func plainServer() async throws {
        let server = try ScriptedServer { $0.write("HTTP/1.1 400 Bad Request\r\n\r\n") }
        let error = await HTTPClient.forTest().failure(of: HTTPClientRequest(url: "https://127.0.0.1:\(server.port)/"))
        #expect(error?.kind == .tls)
        #expect(error?.isUnprocessed == true)
    }
}
