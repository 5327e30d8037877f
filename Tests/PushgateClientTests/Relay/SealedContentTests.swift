import ClientCryptography
import Cryptography
import Foundation
import Testing
import WebPush

@testable import PushgateClient

@Suite("Contents that gateways seal for the app (RFC 8291)")
struct SealedContentTests {
    /// The values of RFC 8291, section 5 and appendix A.
    private static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6P"
        + "Bru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

    private static func exampleKeys() throws -> RelayKeys {
        RelayKeys(
            signing: Data(repeating: 1, count: 32),
            sealing: Data(try #require(Base64URL.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))),
            authentication: Data(try #require(Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg"))))
    }

    private func opened(_ bytes: [UInt8], by keys: RelayKeys) -> [UInt8]? {
        SealedContent(bytes)?.opened(by: keys, OpenSSLCryptography())
    }

    @Test("The message of RFC 8291's example opens")
    func example() throws {
        let content = opened(try #require(Base64URL.decode(Self.body)), by: try Self.exampleKeys())
        #expect(content == Array("When I grow up, I want to be a watermelon".utf8))
    }

    @Test("A message that was changed in any byte, cut or extended does not open")
    func damaged() throws {
        let (keys, body) = (try Self.exampleKeys(), try #require(Base64URL.decode(Self.body)))
        // The size of records is not authenticated, so it is left out: a larger one changes nothing.
        for index in body.indices where !(16..<20).contains(index) {
            var changed = body
            changed[index] ^= 1
            #expect(opened(changed, by: keys) == nil, "\(index)")
        }
        for count in 0..<body.count { #expect(opened(Array(body.prefix(count)), by: keys) == nil, "\(count)") }
        #expect(opened(body + [0], by: keys) == nil)
        // A record that is longer than the header says is two of them.
        var divided = body
        divided.replaceSubrange(16..<20, with: [0, 0, 0, 32])
        #expect(opened(divided, by: keys) == nil)
    }

    @Test(
        "A gateway's message opens with the keys that it was sealed for, whatever its size, and with no others",
        arguments: [(1, 255), (256, 0), (300, 212), (2_816, 0)])
    func sealed(count: Int, padding: Int) throws {
        let cryptography = OpenSSLCryptography()
        let (keys, others) = (try RelayKeys(random: cryptography), try RelayKeys(random: cryptography))
        let receiver = try ReceiverKeys(
            p256dh: Base64URL.encode(try cryptography.publicKey(of: keys.sealing)),
            auth: Base64URL.encode(keys.authentication))
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let body = try MessageEncryption.encrypt(
            content, padding: padding, for: receiver, senderKey: .generate(), salt: RandomBytes.generate(16))
        #expect(opened(body, by: keys) == content)
        #expect(opened(body, by: others) == nil)
        let otherSecret = RelayKeys(
            signing: keys.signing, sealing: keys.sealing, authentication: others.authentication)
        #expect(opened(body, by: otherSecret) == nil)
    }
}
