import Cryptography
import DocumentStore
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import Testing

@testable import Functions

@Suite("Author's relay: App Attest", .timeLimit(.minutes(10)))
struct AppAttestTests {
    private typealias Samples = AppAttestSamples

    private let installation: ES256PrivateKey
    private let attested: ES256PrivateKey
    private let keyID: [UInt8]

    init() throws {
        installation = try ES256PrivateKey(pem: Samples.installationKey)
        attested = try ES256PrivateKey(pem: Samples.attestedKey)
        keyID = try #require(Base64URL.decode(Samples.keyID))
    }

    private func judge(
        _ appIDs: [String] = [Samples.appID], development: Bool = false, root: String = Samples.root
    ) -> AppAttest {
        AppAttest(appIDs: appIDs, allowsDevelopment: development, root: root)
    }

    /// Returns what the app lets App Attest sign.
    private func clientData(at time: Int64 = Samples.time) throws -> [UInt8] {
        let key = Base64URL.encode(try installation.publicKey.point().bytes)
        return Array("pushgate-relay-attest-v1\n\(key)\n\(time)".utf8)
    }

    /// Returns the refusal of an attestation; `nil` if it is good.
    private func refusal(
        _ sample: String, by judge: AppAttest? = nil, keyID: [UInt8]? = nil
    ) throws -> AppAttest.Refusal? {
        let bytes = try #require(Base64URL.decode(sample))
        let clientData = try clientData()
        do throws(AppAttest.Refusal) {
            let key = try (judge ?? self.judge()).key(
                attestedBy: bytes, keyID: keyID ?? self.keyID, clientData: clientData, at: Samples.time)
            #expect(key.bytes.count == 65)
            return nil
        } catch {
            return error
        }
    }

    @Test("An attestation of Apple's form for the call gives the attested key")
    func attestation() throws {
        let bytes = try #require(Base64URL.decode(Samples.good))
        let key = try judge(["A1B2C3D4E5.com.example.first", Samples.appID]).key(
            attestedBy: bytes, keyID: keyID, clientData: try clientData(), at: Samples.time)
        #expect(key == (try attested.publicKey.point()))
    }

    @Test(
        "An attestation for another app, call, key, environment or time, or of another authority, is refused",
        arguments: [
            (AppAttestSamples.otherApp, .app), (AppAttestSamples.used, .counter), (AppAttestSamples.otherCall, .nonce),
            (AppAttestSamples.otherCredential, .keyID), (AppAttestSamples.otherFormat, .form),
            (AppAttestSamples.otherAuthority, .chain), (AppAttestSamples.expired, .chain),
            (AppAttestSamples.otherEnvironment, .environment), (AppAttestSamples.development, .environment),
        ] as [(String, AppAttest.Refusal)])
    func refused(sample: String, refusal: AppAttest.Refusal) throws {
        #expect(try self.refusal(sample) == refusal)
    }

    @Test("Keys of development builds are good if they are allowed, and Apple's authority vouches for no other's")
    func settings() throws {
        #expect(try refusal(Samples.development, by: judge(development: true)) == nil)
        #expect(try refusal(Samples.good, by: judge(development: true)) == nil)
        #expect(try refusal(Samples.good, by: judge(root: AppAttest.appleRoot)) == .chain)
        #expect(try refusal(Samples.good, by: judge([])) == .app)
        #expect(try refusal(Samples.good, keyID: Array(repeating: 0, count: 32)) == .keyID)
        #expect(try CertificateFacts(pem: AppAttest.appleRoot).notAfter == 2_373_148_800)
    }

    @Test("A part of an attestation, or more than one, is refused for its form")
    func form() throws {
        let bytes = try #require(Base64URL.decode(Samples.good))
        for count in 0..<bytes.count {
            #expect(try refusal(Base64URL.encode(bytes[..<count])) == .form)
        }
        #expect(try refusal(Base64URL.encode(bytes + [0])) == .form)
    }

    @Test(
        "Values of CBOR that App Attest does not use are refused, whatever lengths they announce",
        arguments: [
            [0x00], [0x20], [0xF6], [0xFB, 0, 0, 0, 0, 0, 0, 0, 0], [0x5F, 0xFF], [0x9F, 0xFF], [0xBF, 0xFF],
            [0x9A, 0xFF, 0xFF, 0xFF, 0xFF], [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x61, 0xFF],
            [0xA1, 0x40, 0x40], [0xA2, 0x60, 0x40, 0x60, 0x40], [0x81, 0x81, 0x81, 0x81, 0x81, 0x80], [],
        ] as [[UInt8]])
    func otherValues(bytes: [UInt8]) {
        #expect(CBORValue(encoded: bytes) == nil)
    }

    // MARK: Assertions

    /// Returns an assertion by the attested key, or another one.
    private func assertion(
        _ counter: UInt8, at time: Int64 = Samples.time, app: String = Samples.appID, by key: ES256PrivateKey? = nil
    ) throws -> [UInt8] {
        let data = SHA256.digest(of: app.utf8) + [0x40, 0, 0, 0, counter]
        let nonce = SHA256.digest(of: data + SHA256.digest(of: try clientData(at: time)))
        let signature = Self.der(try (key ?? attested).signature(for: nonce))
        var object: [UInt8] = [0xA2]
        for (name, bytes) in [("signature", signature), ("authenticatorData", data)] {
            object.append(0x60 + UInt8(name.utf8.count))
            object.append(contentsOf: name.utf8)
            object.append(contentsOf: [0x58, UInt8(bytes.count)])
            object.append(contentsOf: bytes)
        }
        return object
    }

    /// Returns the form of a signature that Apple's devices give: a sequence of two integers in DER.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        let integers = [raw[..<32], raw[32...]].map { half -> [UInt8] in
            var digits = Array(half.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }.flatMap(\.self)
        return [0x30, UInt8(integers.count)] + integers
    }

    @Test("An assertion counts upwards, and is good for its app, call and key")
    func assertions() throws {
        let point = try attested.publicKey.point()
        func counter(_ assertion: [UInt8], after counter: Int) throws -> Int {
            try judge().counter(of: assertion, by: point, after: counter, clientData: try clientData())
        }
        #expect(try counter(try assertion(1), after: 0) == 1)
        #expect(try counter(try assertion(200), after: 1) == 200)
        for (assertion, refusal) in [
            (try assertion(1), .counter), (try assertion(0), .counter),
            (try assertion(2, at: Samples.time + 1), .signature), (try assertion(2, by: installation), .signature),
            (try assertion(2, app: "A1B2C3D4E5.com.example.other"), .app), ([], .form),
        ] as [([UInt8], AppAttest.Refusal)] {
            #expect(throws: refusal) { try counter(assertion, after: 1) }
        }
    }

    // MARK: Registrations

    @Test("An app registers with an attestation, then with assertions that count upwards, each for one call")
    func registration() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID().uuidString).pem")
        try Data(Samples.root.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let bench = try RelayBench {
            $0.admission = .attest
            $0.attestedApps = [Samples.appID]
            $0.attestRootFile = file.path
        }
        let app = try RelayApp(at: bench, key: installation)
        func register(_ app: RelayApp, _ proof: JSONValue?) async throws -> String {
            var body = RelayApp.device().object ?? [:]
            body["admission"] = proof.map { JSONValue.object(["app_attest": $0]) }
            return try await app.register(.object(body)).word
        }
        func proof(_ member: String, _ text: String) -> JSONValue {
            .object(["key_id": .string(Samples.keyID), member: .string(text)])
        }
        let attestation = proof("attestation", Samples.good)
        let (accepted, refused) = ("200 ", "403 not_admitted")
        #expect(try await register(app, nil) == refused)
        #expect(try await register(app, proof("assertion", Base64URL.encode(try assertion(1)))) == refused)
        #expect(try await register(app, proof("attestation", Samples.otherApp)) == refused)
        #expect(try await register(RelayApp(at: bench), attestation) == refused)
        #expect(try await bench.documents(in: "relayInstallations").isEmpty)
        #expect(try await register(app, attestation) == accepted)
        let first = proof("assertion", Base64URL.encode(try assertion(1)))
        #expect(try await register(app, first) == accepted)
        #expect(try await register(app, first) == refused)
        #expect(try await register(app, ["key_id": "AAAA", "assertion": first["assertion"] ?? .null]) == refused)
        bench.clock.advance(by: .seconds(60))
        #expect(try await register(app, proof("assertion", Base64URL.encode(try assertion(2)))) == refused)
        let later = try assertion(2, at: Samples.time + 60)
        #expect(try await register(app, proof("assertion", Base64URL.encode(later))) == accepted)
    }
}
