import Foundation
import PushgateClient
import Testing

@Suite("A secret")
struct PushSecretTests {
    @Test("is made of 32 random bytes in base64, 44 characters, and never twice the same")
    func random() {
        let secrets = (0..<100).map { _ in PushSecret.random() }
        #expect(Set(secrets).count == 100)
        #expect(secrets.allSatisfy { $0.value.count == 44 && Data(base64Encoded: $0.value)?.count == 32 })
    }

    @Test("takes its bytes from the generator")
    func generator() {
        struct Counting: RandomNumberGenerator {
            var last: UInt64 = 0
            mutating func next() -> UInt64 {
                last += 1
                return last
            }
        }
        var one = Counting()
        var other = Counting()
        #expect(PushSecret.random(using: &one) == PushSecret.random(using: &other))
        #expect(PushSecret.random(using: &one) != PushSecret.random(using: &one))
    }

    @Test("is trimmed")
    func trimmed() {
        #expect(PushSecret(" s3cret=\r\n")?.value == "s3cret=")
    }

    @Test(
        "is none when blank, or when a header cannot carry it", arguments: ["", " \n", "a b", "a\nb", "ä", "a\u{7F}"])
    func unusable(text: String) {
        #expect(PushSecret(text) == nil)
    }

    @Test("is printed nowhere")
    func redacted() throws {
        let secret = PushSecret.random()
        let gateway = try #require(GatewayURL("https://push.example.com"))
        let server = PushServer(id: "one", secret: secret, gateway: gateway)
        var dumped = ""
        dump(server, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\(server)", String(reflecting: server), dumped] {
            #expect(!text.contains(secret.value))
        }
    }
}
