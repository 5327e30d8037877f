import JSON
import Testing

@Suite("JSON objects")
struct JSONObjectTests {
    /// Two names that `String`s call equal: one scalar, and a letter and a mark.
    private static let (one, other) = ("\u{E9}", "e\u{301}")

    @Test("Members whose names are canonically equivalent are two members, in any number of members")
    func equivalentNames() throws {
        for more in [0, 30] {
            let rest = (0..<more).map { ",\"n\($0)\":0" }.joined()
            let object = try #require(
                JSONValue(parsing: "{\"\(Self.one)\":1,\"\(Self.other)\":2\(rest),\"\(Self.one)\":3}").object)
            #expect(object.count == 2 + more)
            #expect(object[Self.one] == 3 && object[Self.other] == 2)
            var changed = object
            changed[Self.other] = nil
            #expect(changed.count == 1 + more && changed[Self.one] == 3 && changed[Self.other] == nil)
            #expect(changed != object)
        }
        #expect(JSONObject([(name: Self.one, value: 1)]) != JSONObject([(name: Self.other, value: 1)]))
    }

    @Test("Of members with one name the first determines the place and the last the value")
    func repeatedNames() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#).text == #"{"a":3,"b":2}"#)
    }
}
