import Cryptography
import DocumentStore
import Foundation
import Settings
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Certificates from files")
struct CertificateFilesTests {
    private let authority: CertificateAuthority
    private let clock = ManualClock()
    private let log = CollectedLog()

    init() throws {
        authority = try CertificateAuthority(commonName: "Test authority", validity: .seconds(86_400 * 365))
    }

    /// Writes a certificate and its key, and returns their paths.
    private func write(
        _ names: [String], as name: String = "a", to directory: String, validity: Duration = .seconds(86_400 * 90)
    ) throws -> CertificatePaths {
        let issued = try authority.issue(commonName: name, dnsNames: names, ipAddresses: [], validity: validity)
        let paths = CertificatePaths(
            certificate: "\(directory)/\(name).pem", key: "\(directory)/\(name).key")
        try issued.certificatePEM.write(toFile: paths.certificate, atomically: true, encoding: .utf8)
        try issued.privateKeyPEM.write(toFile: paths.key, atomically: true, encoding: .utf8)
        return paths
    }

    private func files(_ paths: CertificatePaths...) throws -> CertificateFiles {
        try CertificateFiles(
            paths.map { CertificateSource.files($0) }, now: { [clock] in clock.timestamp }, logger: log.logger)
    }

    /// Returns the certificate of a handshake now, after a look at the files if one is due.
    private func certificate(of files: CertificateFiles) -> FileCertificate? {
        if files.beginLook() { files.refreshUnlessReading() }
        return files.certificate(for: nil)
    }

    @Test("A handshake gets the certificate for the name that it asks for, and otherwise the first")
    func names() async throws {
        try await withTemporaryDirectory { directory in
            let files = try files(
                try write(["push.example.com", "*.apps.example.com"], as: "a", to: directory),
                try write(["Other.example.org"], as: "b", to: directory))
            func chosen(_ host: String?) -> String? { files.certificate(for: host)?.names.first }
            #expect(
                chosen("push.example.com") == "push.example.com" && chosen("PUSH.example.com") == "push.example.com")
            #expect(chosen("x.apps.example.com") == "push.example.com")
            #expect(chosen("other.example.org") == "other.example.org")
            #expect(chosen(nil) == "push.example.com" && chosen("unknown.example") == "push.example.com")
            #expect(files.covers("x.apps.example.com") && !files.covers("x.y.apps.example.com"))
            #expect(!files.covers("apps.example.com") && !files.covers(".apps.example.com") && !files.covers(""))
            #expect(files.names == ["push.example.com", "other.example.org"])
        }
    }

    @Test("Changed files are used within a second, and a pair that does not match only when it does")
    func change() async throws {
        try await withTemporaryDirectory { directory in
            let paths = try write(["one.example"], to: directory)
            let files = try files(paths)
            let next = try write(["two.example"], as: "next", to: directory)
            try replace(paths.certificate, with: next.certificate)
            #expect(certificate(of: files)?.names == ["one.example"], "within the second")
            clock.advance(by: .seconds(1))
            #expect(certificate(of: files)?.names == ["one.example"])
            #expect(logged("failed to read a new TLS certificate; keeping the current one"))
            #expect(logged("is not the key of the certificate"))
            try replace(paths.key, with: next.key)
            clock.advance(by: .seconds(1))
            #expect(certificate(of: files)?.names == ["two.example"])
            let expiry = try #require(certificate(of: files)?.expiry)
            #expect(expiry > clock.timestamp)
        }
    }

    @Test("A reload reads all pairs, and keeps all if one of them cannot be used")
    func reload() async throws {
        try await withTemporaryDirectory { directory in
            let (first, second) = (
                try write(["one.example"], as: "a", to: directory), try write(["b.example"], as: "b", to: directory)
            )
            let files = try files(first, second)
            _ = try write(["two.example"], as: "a", to: directory)
            try "no key".write(toFile: second.key, atomically: true, encoding: .utf8)
            #expect(throws: ConfigurationError.self) { try files.reload() }
            #expect(files.certificate(for: "one.example")?.names == ["one.example"])
            _ = try write(["c.example"], as: "b", to: directory)
            try files.reload()
            #expect(files.names == ["two.example", "c.example"])
        }
    }

    @Test("A certificate that ends soon, or has ended, is reported")
    func expiry() async throws {
        try await withTemporaryDirectory { directory in
            let paths = try write(["soon.example"], to: directory, validity: .seconds(86_400))
            _ = try CertificateFiles([.files(paths)], now: { .now }, logger: log.logger)
            #expect(logged("serving a TLS certificate that expires soon; renew it"))
            _ = try CertificateFiles([.files(paths)], now: { .now.adding(.seconds(86_400 * 2)) }, logger: log.logger)
            #expect(logged("serving a TLS certificate that has expired; clients refuse it. Renew it"))
        }
    }

    @Test("Files with a byte order mark, on one line, or with \\n as text are read, with the whole chain")
    func repairs() async throws {
        try await withTemporaryDirectory { directory in
            let good = try write(["one.example"], to: directory)
            let texts = try [good.certificate, good.key].map { try String(contentsOfFile: $0, encoding: .utf8) }
            for (name, change) in [
                ("mark", { "\u{FEFF}" + $0 }), ("line", { $0.split(separator: "\n").joined() }),
                ("escapes", { $0.split(separator: "\n").joined(separator: "\\n") }),
            ] as [(String, (String) -> String)] {
                let paths = CertificatePaths(
                    certificate: "\(directory)/\(name).pem", key: "\(directory)/\(name).key")
                try change(texts[0] + authority.certificatePEM)
                    .write(toFile: paths.certificate, atomically: true, encoding: .utf8)
                try change(texts[1]).write(toFile: paths.key, atomically: true, encoding: .utf8)
                let certificate = try #require(try files(paths).certificate(for: nil), "\(name)")
                #expect(certificate.names == ["one.example"] && certificate.chain.count == 2)
            }
        }
    }

    @Test("A file that cannot be used is an error of its setting")
    func mistakes() async throws {
        try await withTemporaryDirectory { directory in
            let good = try write(["one.example"], to: directory)
            let other = try write(["two.example"], as: "b", to: directory)
            let cases: [(certificate: String, key: String, setting: String, words: String)] = [
                ("\(directory)/none", good.key, "http.tls.certificate", "cannot read"),
                (good.certificate, "\(directory)/none", "http.tls.key", "cannot read"),
                (good.key, good.key, "http.tls.certificate", "has no certificate in PEM"),
                (good.certificate, good.certificate, "http.tls.key", "has no private key in PEM"),
                (good.certificate, other.key, "http.tls.key", "is not the key of the certificate"),
            ]
            for (certificate, key, setting, words) in cases {
                let error = #expect(throws: ConfigurationError.self) {
                    try files(.init(certificate: certificate, key: key))
                }
                #expect(error?.key == setting && error?.description.contains(words) == true)
            }
        }
    }

    private func logged(_ words: String) -> Bool { log.lines.contains { $0.contains(words) } }

    private func replace(_ path: String, with other: String) throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
    }
}
