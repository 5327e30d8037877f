import Cryptography
import Testing

@testable import WebPushService

@Suite("Encrypted bodies")
struct EncryptedBodyTests {
    /// The example of RFC 8291 §5.
    static let example =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        + "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

    @Test("The example of RFC 8291 is one record of 58 bytes")
    func rfc() throws {
        let body = try EncryptedBody(try #require(Base64URL.decode(Self.example)))
        #expect(body.recordSize == 4_096)
        #expect(body.recordLength == 58)
        #expect(
            body.key.base64URL
                == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        #expect(!body.fillsRecord)
    }

    @Test("A record that is as long as the record size is noticed, and a longer one refused")
    func recordSize() throws {
        let sample = try SamplePush()
        #expect(try EncryptedBody(sample.body(recordLength: 100, recordSize: 100)).fillsRecord)
        #expect(throws: PushRefusal.self) { try EncryptedBody(sample.body(recordLength: 101, recordSize: 100)) }
    }

    @Test("A body that no browser can decrypt is refused")
    func refused() throws {
        let body = try SamplePush().body(recordLength: 17)
        #expect(throws: Never.self) { try EncryptedBody(body) }
        #expect(throws: PushRefusal.self) { try EncryptedBody(Array(body.dropLast())) }
        for (index, byte) in [(20, 0), (20, 64), (21, 2), (30, body[30] ^ 1)] as [(Int, UInt8)] {
            var changed = body
            changed[index] = byte
            #expect(throws: PushRefusal.self) { try EncryptedBody(changed) }
        }
    }

    @Test("A point is read only if it has the form and is on the curve")
    func points() throws {
        let point = try SamplePush.point(of: .generate())
        #expect(UncompressedPoint(base64URL: point.base64URL) == point)
        #expect(point.verifyingKey() != nil)
        #expect(UncompressedPoint(base64URL: point.base64URL + "=") == nil)
        #expect(UncompressedPoint(point.bytes.dropLast()) == nil)
        var other = point.bytes
        other[0] = 2
        #expect(UncompressedPoint(other) == nil)
        other[0] = 4
        other[64] ^= 1
        #expect(try #require(UncompressedPoint(other)).verifyingKey() == nil)
    }
}
