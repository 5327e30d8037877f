import HTTPTypes
import Testing

@testable import Functions

@Suite("The form of Idempotency-Key")
struct IdempotencyKeyTests {
    private func key(_ values: String...) throws -> String? {
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        var fields: HTTPFields = [.accept: "*/*"]
        for value in values { fields.append(HTTPField(name: name, value: value)) }
        return try IdempotencyKey(fields)?.value
    }

    @Test("A request without the field has no key")
    func absent() throws {
        #expect(try key() == nil)
    }

    @Test(
        "A text in quotation marks is the key, and so is a bare word; parameters are ignored",
        arguments: [
            (#""8e03978e-40d5""#, "8e03978e-40d5"), ("8e03978e-40d5", "8e03978e-40d5"), (#""a b""#, "a b"),
            (#""a\"b\\c""#, #"a"b\c"#), (#""a";v=1"#, "a"), ("a;v=1", "a"), (#""a,b""#, "a,b"), ("=:/+_-.", "=:/+_-."),
        ])
    func valid(text: String, value: String) throws {
        #expect(try key(text) == value)
    }

    @Test(
        "Any other value is refused",
        arguments: [
            "", #""""#, #"""#, #""a"#, #""a" b"#, #""a", "b""#, "a,b", "a b", #"a"b"#, #""a\b""#, #""a\"#, "\"\u{e4}\"",
            "\u{e4}", ";v=1", String(repeating: "x", count: 256),
        ])
    func invalid(text: String) throws {
        #expect(throws: IdempotencyError.invalidKey) { try key(text) }
    }

    @Test("A field that is sent twice is refused, also with one value, and 255 characters are not too many")
    func borders() throws {
        #expect(throws: IdempotencyError.invalidKey) { try key("a", "a") }
        let longest = String(repeating: "x", count: 255)
        #expect(try key("\"\(longest)\"") == longest)
    }

    @Test("Requests differ by call, scope, caller and key, wherever a text ends")
    func identity() throws {
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        func id(_ call: String, _ scope: String, _ caller: String, _ value: String) throws -> String {
            let key = try #require(try IdempotencyKey([name: value]))
            return IdempotentRequest(key, at: call, scope, of: caller, body: []).id
        }
        let ids = try [
            id("a", "b", "c", "d"), id("ab", "", "c", "d"), id("a", "bc", "", "d"), id("a", "b", "cd", "e"),
            id("a", "b", "c", "e"), id("x", "b", "c", "d"),
        ]
        #expect(Set(ids).count == ids.count)
        #expect(try id("a", "b", "c", "d") == id("a", "b", "c", "\"d\""))
    }
}
