/// A selection of subscribers, as an expression over topics: `'a' in topics && ('b' in topics || !('c' in topics))`.
///
/// `!` binds most tightly, then `&&`, then `||`. FCM allows at most five different topics
/// ([Topic messaging](https://firebase.google.com/docs/cloud-messaging/topic-messaging)).
package struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of different topics in a condition.
    package static let maximumTopics = 5

    /// The text that was parsed.
    package let description: String
    /// The topics of the condition without repetition, in the order of their first appearance.
    package let topics: [String]
    private let expression: Expression

    /// Parses a condition.
    ///
    /// - Throws: a ``ConditionError`` with the reason and the position.
    package init(parsing text: String) throws(ConditionError) {
        var parser = try ConditionParser(text)
        expression = try parser.condition()
        topics = parser.topics
        description = text
    }

    /// Creates the condition of one topic.
    ///
    /// - Throws: a ``ConditionError`` if the name is invalid; see ``TopicName``.
    package init(topic: String) throws(ConditionError) { try self.init(parsing: "'\(topic)' in topics") }

    /// Returns `true` if the condition holds for a registration.
    ///
    /// - Parameter isSubscribed: returns `true` if the registration is subscribed to a topic. It is called only as
    ///   often as necessary.
    package func evaluate(_ isSubscribed: (String) -> Bool) -> Bool { expression.evaluate(isSubscribed) }
}

extension Condition {
    indirect enum Expression: Hashable, Sendable {
        case topic(String)
        case not(Expression)
        case all([Expression])
        case any([Expression])

        func evaluate(_ isSubscribed: (String) -> Bool) -> Bool {
            switch self {
            case .topic(let topic): isSubscribed(topic)
            case .not(let expression): !expression.evaluate(isSubscribed)
            case .all(let expressions): expressions.allSatisfy { $0.evaluate(isSubscribed) }
            case .any(let expressions): expressions.contains { $0.evaluate(isSubscribed) }
            }
        }
    }
}

/// A reason why a text is not a condition, with its position.
package struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, with its text.
    package enum Reason: String, Sendable {
        /// The text is too long.
        case tooLong = "a condition has at most 8192 bytes"
        /// A topic, a negation or a parenthesis is missing.
        case expectedTopic = "a topic in single quotes, '!' or '(' is expected"
        /// A quote is not closed.
        case unclosedQuote = "the quote is not closed"
        /// A topic's name is invalid.
        case invalidTopic = "a topic has 1 to 900 characters of [a-zA-Z0-9-_.~%] and is not ., .. or __x__"
        /// `in topics` is missing after a topic.
        case expectedInTopics = "'in topics' is expected"
        /// An operator is missing.
        case expectedOperator = "'&&' or '||' is expected"
        /// A parenthesis is not closed.
        case unclosedParenthesis = "')' is expected"
        /// The condition names more than five topics.
        case tooManyTopics = "a condition has at most five topics"
        /// Too many parentheses are nested.
        case tooDeep = "parentheses are nested too deeply"
    }

    /// The kind of error.
    package let reason: Reason
    /// The offset in bytes from the start of the text.
    package let position: Int

    /// The text for the client.
    package var description: String { "Invalid condition at position \(position): \(reason.rawValue)" }
}
