import Foundation
import PushgateClient
import Testing

@Suite("Secrets of servers")
struct PushSecretTests {
    @Test("A random secret is 32 bytes in 44 characters of base64, and never repeated")
    func random() {
        let secrets = (0..<100).map { _ in PushSecret.random() }
        #expect(Set(secrets).count == 100)
        #expect(secrets.allSatisfy { $0.value.count == 44 && Data(base64Encoded: $0.value)?.count == 32 })
    }

    @Test("A random secret takes its bytes from the generator")
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

    @Test("A secret's leading and trailing blanks are removed")
    func trimmed() {
        #expect(PushSecret(" s3cret=\r\n")?.value == "s3cret=")
    }

    @Test(
        "A secret that is blank, or that no header can carry, gives nil",
        arguments: ["", " \n", "a b", "a\nb", "ä", "a\u{7F}"])
    func unusable(text: String) {
        #expect(PushSecret(text) == nil)
    }

    @Test("A printed secret or server does not contain the secret's text")
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
