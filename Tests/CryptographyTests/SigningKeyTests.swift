import Cryptography
import Testing

@Suite("Signing keys of both schemes")
struct SigningKeyTests {
    private static let schemes: [any SignatureScheme.Type] = [ES256.self, RS256.self]
    private let message = Array("header.claims".utf8)

    /// Returns a key. The RSA key is the one of RFC 7515, because generating one is slow.
    private func key<Scheme>(_: Scheme.Type) throws -> SigningKey<Scheme> {
        switch Scheme.algorithm {
        case .es256: try .generate()
        case .rs256: try SigningKey(pem: RS256Tests.examplePEM)
        }
    }

    @Test("The public half of a key accepts what the key signs", arguments: schemes)
    func roundTrip(scheme: any SignatureScheme.Type) throws {
        func check<Scheme: SignatureScheme>(_: Scheme.Type) throws {
            let key = try SigningKey<Scheme>.generate()
            for message in [message, []] {
                let signature = try key.signature(for: message)
                #expect(signature.count == (Scheme.algorithm == .es256 ? 64 : 256))
                #expect(key.publicKey.isValid(signature, for: message))
            }
        }
        try check(scheme)
    }

    @Test("A changed message, a changed signature and another key are refused", arguments: schemes)
    func tampering(scheme: any SignatureScheme.Type) throws {
        func check<Scheme: SignatureScheme>(_ scheme: Scheme.Type) throws {
            let key = try key(scheme)
            let signature = try key.signature(for: message)
            let other = try SigningKey<Scheme>.generate().publicKey
            #expect(!other.isValid(signature, for: message))
            #expect(!key.publicKey.isValid(signature, for: message + [0]))
            for index in [0, signature.count / 2 - 1, signature.count / 2, signature.count - 1] {
                var changed = signature
                changed[index] ^= 1
                #expect(!key.publicKey.isValid(changed, for: message))
            }
        }
        try check(scheme)
    }

    @Test("A signature of another length or of one repeated byte is refused", arguments: schemes)
    func malformedSignatures(scheme: any SignatureScheme.Type) throws {
        func check<Scheme: SignatureScheme>(_ scheme: Scheme.Type) throws {
            let key = try key(scheme)
            let signature = try key.signature(for: message)
            let malformed = [
                [], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: signature.count),
                [UInt8](repeating: 0xFF, count: signature.count),
            ]
            for signature in malformed { #expect(!key.publicKey.isValid(signature, for: message)) }
        }
        try check(scheme)
    }

    @Test(
        "A key survives writing and reading, and the public PEM contains nothing of the private half",
        arguments: schemes)
    func keysRoundTrip(scheme: any SignatureScheme.Type) throws {
        func check<Scheme: SignatureScheme>(_ scheme: Scheme.Type) throws {
            let key = try key(scheme)
            let readAgain = try SigningKey<Scheme>(pem: key.pem)
            #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
            #expect(readAgain.pem == key.pem)
            let signature = try readAgain.signature(for: message)
            for pem in [key.pem, key.publicKey.pem] {
                let publicKey = try VerifyingKey<Scheme>(pem: pem)
                #expect(publicKey.pem == key.publicKey.pem)
                #expect(publicKey.pem.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
                #expect(!publicKey.pem.contains("PRIVATE"))
                #expect(publicKey.isValid(signature, for: message))
            }
        }
        try check(scheme)
    }

    @Test("One key signs from many tasks at once", arguments: schemes)
    func concurrentSignatures(scheme: any SignatureScheme.Type) async throws {
        func check<Scheme: SignatureScheme>(_ scheme: Scheme.Type) async throws {
            let key = try key(scheme)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        let message = Array("\(index)".utf8)
                        return key.publicKey.isValid(try key.signature(for: message), for: message)
                    }
                }
                for try await isValid in group { #expect(isValid) }
            }
        }
        try await check(scheme)
    }
}
