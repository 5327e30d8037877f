import Testing

@testable import Functions

@Suite("API keys")
struct APIKeysTests {
    @Test("open for themselves, byte for byte, and for nothing else")
    func contains() throws {
        let keys = APIKeys(["one key", "another"])
        for key in ["one key", "another"] { #expect(keys.contains(try #require(BearerCredential(key)))) }
        for stranger in ["One key", "one key ", "one", "x"] {
            #expect(!keys.contains(try #require(BearerCredential(stranger))))
        }
        #expect(!APIKeys([]).contains(try #require(BearerCredential("one key"))))
    }

    @Test("never print themselves")
    func secrecy() throws {
        let key = try #require(BearerCredential(authorization: "Bearer s3cret"))
        for text in ["\(key)", String(reflecting: key), String(describing: Optional(key))] {
            #expect(!text.contains("s3cret"))
        }
    }

    @Test("are in no text that is made of them, nor of a configuration that has them")
    func configurationSecrecy() {
        var configuration = RunsConfiguration()
        configuration.apiKeys = ["s3cret"]
        var text = "\(configuration) \(configuration.apiKeys)"
        dump(configuration, to: &text)
        #expect(text.contains("<redacted>") && !text.contains("s3cret"))
    }
}
