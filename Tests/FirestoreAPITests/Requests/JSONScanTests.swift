import Testing

@testable import FirestoreAPI

@Suite("The elements of requests in JSON")
struct JSONScanTests {
    private func elements(_ body: String, mostWrites: Int? = nil) throws -> Int {
        try JSONScan.elements(of: Array(body.utf8), mostWrites: mostWrites)
    }

    private static func writes(_ count: Int) -> String {
        #"{"writes":["# + [String](repeating: "{}", count: count).joined(separator: ",") + "]}"
    }

    @Test("Elements are objects, lists, and what follows a comma, except in texts")
    func counts() throws {
        #expect(try elements("") == 0)
        #expect(try elements(#"{"a":[1,2,{"b":3}]}"#) == 5)
        #expect(try elements(#"{"a":"[{,\",\\"}"#) == 1)
        #expect(try elements(#"{"a":"x\\","b":"y"}"#) == 2)
    }

    @Test("A body with one write more than its limit is refused, and one with as many is not")
    func writeLimit() throws {
        _ = try elements(Self.writes(500), mostWrites: 500)
        _ = try elements(Self.writes(501))
        for body in [
            Self.writes(501), #"{"database":"x","writes":[\#([String](repeating: "1,", count: 501).joined())"#,
        ] {
            let failure = #expect(throws: FirestoreStatus.self) { try elements(body, mostWrites: 500) }
            #expect(failure?.code == .invalidArgument)
            #expect(failure?.message.contains("500 writes") == true)
        }
    }

    @Test("The lists within a write, and the members of an object, are not counted as writes")
    func otherLists() throws {
        let values = [String](repeating: #"{"integerValue":"1"}"#, count: 1_000).joined(separator: ",")
        let list = #"{"writes":[{"update":{"fields":{"a":{"arrayValue":{"values":[\#(values)]}}}}}]}"#
        _ = try elements(list, mostWrites: 1)
        let labels = (0..<10).map { #""l\#($0)":"x""# }.joined(separator: ",")
        _ = try elements(#"{"labels":{\#(labels)},"writes":[{}]}"#, mostWrites: 1)
    }

    @Test("A body of too many elements is refused")
    func manyElements() {
        let body = "{\"writes\":[{\"a\":[" + String(repeating: "1,", count: 3_000_000)
        let failure = #expect(throws: FirestoreStatus.self) { try elements(body, mostWrites: 500) }
        #expect(failure?.code == .invalidArgument)
    }
}
