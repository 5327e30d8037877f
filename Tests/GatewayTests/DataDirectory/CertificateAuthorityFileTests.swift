import Cryptography
import Foundation
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Certificate authority file", .timeLimit(.minutes(10)))
struct CertificateAuthorityFileTests {
    private func withDirectory(_ body: (DataDirectory) throws -> Void) async throws {
        try await withTemporaryDirectory { try body(try DataDirectory(creating: $0 + "/data")) }
    }

    private func readOrCreate(in directory: DataDirectory) throws -> CertificateAuthority {
        try directory.authority.readOrCreate(for: GoogleHosts.certifiedNames)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("The certificate authority is made once, with a public certificate, a private key and no other file")
    func made() async throws {
        try await withDirectory { directory in
            let authority = try readOrCreate(in: directory)
            #expect(directory.authority.certificatePath == directory.path + "/ca.pem")
            #expect(try text(directory.authority.certificatePath) == authority.certificatePEM)
            #expect(try mode(directory.authority.certificatePath) == 0o644)
            #expect(try mode(directory.path + "/ca.key") == 0o600)
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory.path)) == ["ca.pem", "ca.key"])
            let key = try text(directory.path + "/ca.key")
            #expect(try readOrCreate(in: directory).certificatePEM == authority.certificatePEM)
            #expect(try text(directory.path + "/ca.key") == key)
        }
    }

    @Test("The certificate authority is constrained to the names of the gateway, without Google's other hosts")
    func bounds() async throws {
        try await withDirectory { directory in
            let lines = try readOrCreate(in: directory).certificatePEM.split(separator: "\n")
            let der = try #require(Data(base64Encoded: lines.filter { !$0.hasPrefix("-") }.joined()))
            // GeneralName in DER (RFC 5280 §4.2.1.6): a DNS name has the tag 0x82.
            func isBound(toName name: String) -> Bool {
                der.range(of: Data([0x82, UInt8(name.utf8.count)] + Array(name.utf8))) != nil
            }
            for name in GoogleHosts.names + ["localhost"] { #expect(isBound(toName: name), "\(name)") }
            #expect(!isBound(toName: "googleapis.com"))
        }
    }

    @Test("Sixteen concurrent callers get the same certificate authority, which is made once")
    func atTheSameTime() async throws {
        for _ in 0..<4 {
            try await withDataDirectory { path in
                let directory = try DataDirectory(creating: path)
                let made = try await concurrently(Array(0..<16), limit: 16) { _ in
                    try readOrCreate(in: directory).certificatePEM
                }
                #expect(Set(made) == [try text(directory.authority.certificatePath)])
                let names = try FileManager.default.contentsOfDirectory(atPath: path)
                #expect(Set(names) == ["ca.pem", "ca.key"])
            }
        }
    }

    @Test("A certificate authority of which only the key was written is made again")
    func keyAlone() async throws {
        try await withDirectory { directory in
            let first = try readOrCreate(in: directory)
            try FileManager.default.removeItem(atPath: directory.authority.certificatePath)
            let second = try readOrCreate(in: directory)
            #expect(first.certificatePEM != second.certificatePEM)
            #expect(try readOrCreate(in: directory).certificatePEM == second.certificatePEM)
        }
    }

    @Test("A certificate authority whose key is missing or replaced is kept, and the error names the key's file")
    func keyGone() async throws {
        try await withDirectory { directory in
            let authority = try readOrCreate(in: directory)
            let keyPath = directory.path + "/ca.key"
            try FileManager.default.removeItem(atPath: keyPath)
            let gone = #expect(throws: GatewayError.self) { try readOrCreate(in: directory) }
            #expect(gone?.description.contains(keyPath) == true)
            let other = try CertificateAuthority(commonName: "x", validity: .seconds(60)).privateKeyPEM()
            try other.write(toFile: keyPath, atomically: true, encoding: .utf8)
            let wrong = #expect(throws: GatewayError.self) { try readOrCreate(in: directory) }
            #expect(wrong?.description.contains("it belongs to another key") == true)
            #expect(wrong?.description.contains(other.split(separator: "\n")[1]) == false)
            #expect(try text(directory.authority.certificatePath) == authority.certificatePEM)
        }
    }

    @Test(
        "A certificate authority that cannot be written throws an error that names the file",
        .enabled(if: getuid() != 0, "root may write anywhere"))
    func readOnly() async throws {
        try await withDirectory { directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
            let error = #expect(throws: GatewayError.self) { try readOrCreate(in: directory) }
            #expect(error?.description.contains("ca.key") == true)
        }
    }
}
