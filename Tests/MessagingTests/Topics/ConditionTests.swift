import Messaging
import Testing

@Suite("Conditions over topics")
struct ConditionTests {
    private func holds(_ text: String, for topics: Set<String>) throws -> Bool {
        try Condition(parsing: text).evaluate(topics.contains)
    }

    @Test(
        "are true of whom they describe, and of nobody else",
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

    @Test("bind && before ||, on either side")
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

    @Test("name each topic once, in their order, and remember how they were written")
    func topics() throws {
        let text = "'b' in topics && ('a.~%-_9' in topics || !('b' in topics))"
        let condition = try Condition(parsing: text)
        #expect(condition.topics == ["b", "a.~%-_9"])
        #expect(condition.description == text)
    }

    @Test("may have five topics, each as often as it likes, and not six")
    func five() throws {
        let five = ["a", "b", "c", "d", "e"].map { "'\($0)' in topics" }
        #expect(try Condition(parsing: (five + five).joined(separator: " && ")).topics.count == 5)
        #expect(throws: ConditionError.self) {
            try Condition(parsing: (five + ["'f' in topics"]).joined(separator: " && "))
        }
    }

    @Test("ask about no more topics than the answer needs")
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

    @Test("may be nested 32 deep, and not deeper")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "'a' in topics" + String(repeating: ")", count: depth)
        }
        #expect(try holds(nested(32), for: ["a"]))
        #expect(throws: ConditionError.self) { try Condition(parsing: nested(33)) }
        // One after another they are not nested.
        let flat = Array(repeating: "(!('a' in topics))", count: 100).joined(separator: "||")
        #expect(try holds(flat, for: []))
    }

    @Test("say what is wrong, and where")
    func errors() throws {
        let error = try #require(throws: ConditionError.self) {
            try Condition(parsing: "'a' in topics and 'b' in topics")
        }
        #expect(error.position == 14)
        #expect(error.reason == .expectedOperator)
        #expect(error.description == "Invalid condition at position 14: '&&' or '||' is expected")
    }
}
