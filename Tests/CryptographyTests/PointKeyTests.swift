import Cryptography
import Testing

@Suite("Public keys of points")
struct PointKeyTests {
    @Test("A key of a point is the key that the point was taken from")
    func roundTrip() throws {
        let key = try ES256PrivateKey.generate()
        let read = try ES256PublicKey(try key.publicKey.point())
        #expect(read.pem == key.publicKey.pem)
        let message = Array("a message".utf8)
        #expect(read.isValid(try key.signature(for: message), for: message))
    }

    @Test("A key of another point verifies no signature of the first")
    func otherPoint() throws {
        let (key, other) = (try ES256PrivateKey.generate(), try ES256PrivateKey.generate())
        let message = Array("a message".utf8)
        let signature = try key.signature(for: message)
        #expect(!(try ES256PublicKey(try other.publicKey.point())).isValid(signature, for: message))
    }
}
