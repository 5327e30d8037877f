import Messaging
import Testing

@Suite("Conditions over topics")
struct ConditionTests {
    private func holds(_ text: String, for topics: Set<String>) throws -> Bool {
        try Condition(parsing: text).evaluate(topics.contains)
    }

    @Test(
        "A condition holds exactly for the described sets of topics",
        arguments: [
            ("'a' in topics", ["a", "a b"]),
            ("!('a' in topics)", ["", "b"]),
            ("!'a' in topics", ["", "b"]),
            ("!!('a' in topics)", ["a", "a b"]),
            ("'a' in topics && 'b' in topics", ["a b"]),
            ("'a' in topics || 'b' in topics", ["a", "b", "a b"]),
            ("'a' in topics && !('b' in topics)", ["a"]),
            ("!('a' in topics && 'b' in topics)", ["", "a", "b"]),
            ("!('a' in topics) || 'b' in topics", ["", "b", "a b"]),
            ("('a' in topics || !('b' in topics)) && !('a' in topics && 'b' in topics)", ["", "a"]),
            ("'a'in topics&&'b'in topics", ["a b"]),
            (" \t(( 'a'  in\ntopics ) )\r\n", ["a", "a b"]),
        ])
    func truth(text: String, holdsFor: [String]) throws {
        for topics in ["", "a", "b", "a b"] {
            let subscriptions = Set(topics.split(separator: " ").map(String.init))
            #expect(try holds(text, for: subscriptions) == holdsFor.contains(topics), "\(text) for '\(topics)'")
        }
    }

    @Test("A condition binds && before || on either side")
    func precedence() throws {
        let right = "'a' in topics || 'b' in topics && 'c' in topics"
        #expect(try holds(right, for: ["a"]))
        #expect(try holds(right, for: ["b"]) == false)
        #expect(try holds(right, for: ["b", "c"]))
        let left = "'a' in topics && 'b' in topics || 'c' in topics"
        #expect(try holds(left, for: ["c"]))
        #expect(try holds(left, for: ["a"]) == false)
        let grouped = "'a' in topics && ('b' in topics || 'c' in topics)"
        #expect(try holds(grouped, for: ["c"]) == false)
        #expect(try holds(grouped, for: ["a", "c"]))
    }

    @Test("A condition lists each topic once in order and keeps its text")
    func topics() throws {
        let text = "'b' in topics && ('a.~%-_9' in topics || !('b' in topics))"
        let condition = try Condition(parsing: text)
        #expect(condition.topics == ["b", "a.~%-_9"])
        #expect(condition.description == text)
    }

    @Test("A condition may have five different topics, repeated at will, and not six")
    func five() throws {
        let five = ["a", "b", "c", "d", "e"].map { "'\($0)' in topics" }
        #expect(try Condition(parsing: (five + five).joined(separator: " && ")).topics.count == 5)
        #expect(throws: ConditionError.self) {
            try Condition(parsing: (five + ["'f' in topics"]).joined(separator: " && "))
        }
    }

    @Test("Evaluating a condition asks only for the topics that it needs")
    func shortCut() throws {
        var asked: [String] = []
        let condition = try Condition(parsing: "'a' in topics || 'b' in topics")
        #expect(
            condition.evaluate {
                asked.append($0)
                return true
            })
        #expect(asked == ["a"])
    }

    @Test("A condition may be nested 32 deep and not deeper")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "'a' in topics" + String(repeating: ")", count: depth)
        }
        #expect(try holds(nested(32), for: ["a"]))
        #expect(throws: ConditionError.self) { try Condition(parsing: nested(33)) }
        // Parentheses side by side do not count as nested.
        let flat = Array(repeating: "(!('a' in topics))", count: 100).joined(separator: "||")
        #expect(try holds(flat, for: []))
    }

    @Test("The error of an invalid condition gives the reason and the position")
    func errors() throws {
        let error = try #require(throws: ConditionError.self) {
            try Condition(parsing: "'a' in topics and 'b' in topics")
        }
        #expect(error.position == 14)
        #expect(error.reason == .expectedOperator)
        #expect(error.description == "Invalid condition at position 14: '&&' or '||' is expected")
    }
}
