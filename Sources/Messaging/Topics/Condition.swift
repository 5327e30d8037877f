/// Which subscribers a message goes to, as an expression over topics:
/// `'a' in topics && ('b' in topics || !('c' in topics))`.
///
/// `!` binds closest, then `&&`, then `||`. There are at most five different topics, as FCM has it
/// ([Topic messaging](https://firebase.google.com/docs/cloud-messaging/topic-messaging)).
public struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// How many different topics a condition may name.
    public static let maximumTopics = 5

    /// As it was written.
    public let description: String
    /// Every topic it names, once, in the order in which they first stand in it.
    public let topics: [String]
    private let expression: Expression

    /// - Throws: a ``ConditionError`` that says what is wrong, and where.
    public init(parsing text: String) throws(ConditionError) {
        var parser = try ConditionParser(text)
        expression = try parser.condition()
        topics = parser.topics
        description = text
    }

    /// That of one topic.
    ///
    /// - Throws: a ``ConditionError`` when it is no topic's name; see ``TopicName``.
    public init(topic: String) throws(ConditionError) { try self.init(parsing: "'\(topic)' in topics") }

    /// Whether it holds for someone.
    ///
    /// - Parameter isSubscribed: whether they are subscribed to a topic; not asked about more than the answer needs.
    public func evaluate(_ isSubscribed: (String) -> Bool) -> Bool { expression.evaluate(isSubscribed) }
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

/// Why a text is no condition, and where.
public struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        case tooLong = "a condition has at most 8192 bytes"
        case expectedTopic = "a topic in single quotes, '!' or '(' is expected"
        case unclosedQuote = "the quote is not closed"
        case invalidTopic = "a topic has 1 to 900 characters of [a-zA-Z0-9-_.~%] and is not ., .. or __x__"
        case expectedInTopics = "'in topics' is expected"
        case expectedOperator = "'&&' or '||' is expected"
        case unclosedParenthesis = "')' is expected"
        case tooManyTopics = "a condition has at most five topics"
        case tooDeep = "parentheses are nested too deeply"
    }

    public let reason: Reason
    /// The offset in bytes from the start of the text.
    public let position: Int

    public var description: String { "Invalid condition at position \(position): \(reason.rawValue)" }
}
