import Testing

@testable import Functions

@Suite("API keys")
struct APIKeysTests {
    private enum Scope { case read, write }

    @Test("have the scopes they were given, and others none")
    func scopes() throws {
        let keys = APIKeys<Scope>(["reader": [.read], "master": [.read, .write]])
        let of = { (text: String) in try keys.scopes(of: #require(BearerCredential(text))) }
        #expect(try of("reader") == [.read])
        #expect(try of("master") == [.read, .write])
        for stranger in ["Reader", "reader ", "", "x"] where BearerCredential(stranger) != nil {
            #expect(try of(stranger) == nil)
        }
    }

    @Test("never print themselves")
    func secrecy() throws {
        let key = try #require(BearerCredential(authorization: "Bearer s3cret"))
        for text in ["\(key)", String(reflecting: key), String(describing: Optional(key))] {
            #expect(!text.contains("s3cret"))
        }
    }
}
