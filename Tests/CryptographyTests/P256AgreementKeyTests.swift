import Cryptography
import Testing

@Suite("Key agreement on P-256")
struct P256AgreementKeyTests {
    /// The first example of NIST's CAVP for ECC CDH on P-256.
    @Test("The known private and public keys agree on the known secret")
    func knownSecret() throws {
        let key = try P256AgreementKey(
            scalar: bytes("7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534"))
        let peer = try P256Point(
            bytes(
                "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
                    + "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac"))
        #expect(
            key.publicKey.bytes.hexadecimal
                == "04ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b230"
                + "28af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141")
        #expect(
            try key.sharedSecret(with: peer).hexadecimal
                == "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b")
    }

    @Test("Two fresh keys agree on one secret, and a third key on another")
    func agreement() throws {
        let (one, other, third) = (
            try P256AgreementKey.generate(), try P256AgreementKey.generate(), try P256AgreementKey.generate()
        )
        let secret = try one.sharedSecret(with: other.publicKey)
        #expect(secret.count == 32)
        #expect(try other.sharedSecret(with: one.publicKey) == secret)
        #expect(try third.sharedSecret(with: one.publicKey) != secret)
        #expect(one.publicKey != other.publicKey)
    }

    @Test("One key agrees on secrets in many tasks at once")
    func concurrency() async throws {
        let (key, peer) = (try P256AgreementKey.generate(), try P256AgreementKey.generate())
        let secret = try peer.sharedSecret(with: key.publicKey)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<64 { group.addTask { try key.sharedSecret(with: peer.publicKey) } }
            for try await other in group { #expect(other == secret) }
        }
    }

    @Test("A private half of another length, of 0 or beyond the order is refused")
    func scalars() throws {
        let order = try bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let zero = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xFF, count: 32)
        for scalar: [UInt8] in [zero, order, ones, Array(ones.dropFirst()), zero + [1], []] {
            #expect(throws: CryptographyError.self) { try P256AgreementKey(scalar: scalar) }
            #expect(throws: CryptographyError.self) { try ES256PrivateKey(scalar: scalar) }
        }
        var (first, last) = (zero, order)
        first[31] = 1
        last[31] -= 1
        // The public halves of a number and of its complement have one first coordinate.
        let points = (try P256AgreementKey(scalar: first).publicKey, try P256AgreementKey(scalar: last).publicKey)
        #expect(points.0.bytes[1...32] == points.1.bytes[1...32])
        #expect(points.0 != points.1)
    }

    @Test("Bytes of another length or form, and off the curve, are no point")
    func points() throws {
        let point = try P256AgreementKey.generate().publicKey.bytes
        #expect(try P256Point(point).bytes == point)
        var offTheCurve = point
        offTheCurve[64] ^= 1
        let compressed: [UInt8] = [2 + (point[64] & 1)] + Array(point[1...32])
        let zeros: [UInt8] = [4] + [UInt8](repeating: 0, count: 64)
        let beyondTheField: [UInt8] = [4] + [UInt8](repeating: 0xFF, count: 64)
        let hybrid: [UInt8] = [6 + (point[64] & 1)] + Array(point.dropFirst())
        let wrong: [[UInt8]] = [
            [], [0], [4], Array(point.dropLast()), point + [0], offTheCurve, compressed, zeros, beyondTheField, hybrid,
        ]
        for bytes in wrong {
            #expect(throws: CryptographyError.self) { try P256Point(bytes) }
        }
    }

    @Test("A signing key of a bare private half has its public key, signs and survives writing")
    func signingKey() throws {
        let scalar = try bytes("7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")
        let key = try ES256PrivateKey(scalar: scalar)
        #expect(try key.publicKey.point() == P256AgreementKey(scalar: scalar).publicKey)
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let readAgain = try ES256PrivateKey(pem: key.pem)
        #expect(try readAgain.publicKey.point() == key.publicKey.point())
        #expect(key.publicKey.isValid(try readAgain.signature(for: [1]), for: [1]))
    }

    /// Returns the bytes of hexadecimal digits.
    private func bytes(_ digits: String) throws -> [UInt8] {
        let characters = Array(digits)
        return try stride(from: 0, to: characters.count, by: 2).map { index in
            try #require(UInt8(String(characters[index...(index + 1)]), radix: 16))
        }
    }
}
