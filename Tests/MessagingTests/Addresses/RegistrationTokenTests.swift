import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Printing registration tokens")
struct RegistrationTokenTests {
    private static let secret = "emulated:0123456789abcdef0123456789abcdef"

    @Test("A registration token prints the start of its SHA-256 instead of itself")
    func fingerprint() {
        let token = RegistrationToken("abc")
        #expect(token.fingerprint == "ba7816bf")
        #expect("\(token)" == "token#ba7816bf")
        #expect(token.value == "abc")
    }

    @Test("Tokens and topics that look alike but have different bytes are different")
    func bytes() {
        let (composed, decomposed) = ("token-é", "token-e\u{301}")
        #expect(RegistrationToken(composed) != RegistrationToken(decomposed))
        #expect(RegistrationToken(composed) == RegistrationToken("token-é"))
        #expect(Set([composed, decomposed, composed].map { RegistrationToken($0) }).count == 2)
        #expect(
            Set([composed, decomposed, composed].map { Lane(transport: .apns, app: AppIdentity(bundleID: $0)) }).count
                == 2)
        #expect(PushAddress(token: "emulated:\u{301}").lane.transport == .emulated)
    }

    @Test("A device token is the same in any case, and an address has it in small letters")
    func spellings() {
        let small = "0f" + String(repeating: "ab", count: 15)
        let spellings = [small, small.uppercased(), "0F" + small.dropFirst(2)].map { RegistrationToken($0) }
        #expect(Set(spellings).count == 1 && Set(spellings.map(\.fingerprint)).count == 1)
        #expect(spellings.map(\.isCanonical) == [true, false, false])
        for token in spellings {
            #expect(PushAddress(token: token.value) == PushAddress(token: small))
            #expect(PushAddress(transport: .apns, token: token).token.value == small)
            #expect(TokenDigest(token) == TokenDigest(spellings[0]))
        }
        #expect(spellings[1].value == small.uppercased())
    }

    @Test(
        "A token that is no device token is compared by its bytes",
        arguments: ["abc", "aabb", String(repeating: "a", count: 33), "emulated:ab", String(repeating: "g", count: 32)])
    func caseSensitive(text: String) {
        let (small, capital) = (RegistrationToken(text), RegistrationToken(text.uppercased()))
        #expect(small != capital && TokenDigest(small) != TokenDigest(capital))
        #expect(small.isCanonical && capital.isCanonical && capital.canonical.value == text.uppercased())
    }

    @Test("A token does not appear in any description or dump of itself or its containers")
    func neverPrinted() throws {
        let address = PushAddress(token: Self.secret)
        let target = Target(address: address, registration: try DocumentPath("devices/1"))
        let multicast = Multicast.sample([target])
        let values: [Any] = [address.token, address, target, [target], multicast, Optional(target) as Any, (1, target)]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(describing: value), String(reflecting: value), dumped] {
                #expect(!text.contains("0123456789abcdef"))
            }
        }
    }
}
