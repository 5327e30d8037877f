import Testing

@testable import Functions

@Suite("API keys")
struct APIKeysTests {
    @Test("API keys accept only themselves, byte for byte")
    func contains() throws {
        let keys = APIKeys(["one key", "another"])
        for key in ["one key", "another"] { #expect(keys.contains(try #require(BearerCredential(key)))) }
        for stranger in ["One key", "one key ", "one", "x"] {
            #expect(!keys.contains(try #require(BearerCredential(stranger))))
        }
        #expect(!APIKeys([]).contains(try #require(BearerCredential("one key"))))
    }

    @Test("An API key does not appear in its description")
    func secrecy() throws {
        let key = try #require(BearerCredential(authorization: "Bearer s3cret"))
        for text in ["\(key)", String(reflecting: key), String(describing: Optional(key))] {
            #expect(!text.contains("s3cret"))
        }
    }

    @Test("API keys do not appear in the description or dump of their configuration")
    func configurationSecrecy() {
        var settings = RunsSettings()
        settings.apiKeys = ["s3cret"]
        var text = "\(settings) \(settings.apiKeys)"
        dump(settings, to: &text)
        #expect(text.contains("<redacted>") && !text.contains("s3cret"))
    }
}
