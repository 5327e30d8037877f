import Texts

/// A recursive-descent parser of conditions:
///
/// ```
/// condition   = conjunction *( "||" conjunction )
/// conjunction = negation *( "&&" negation )
/// negation    = *"!" ( "(" condition ")" / "'" topic "'" "in" "topics" )
/// ```
struct ConditionParser {
    /// Long enough for five topics of maximum length, which are 4,500 bytes.
    private static let maximumLength = 8_192
    private static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private(set) var topics: [String] = []

    init(_ text: String) throws(ConditionError) {
        bytes = Array(text.utf8)
        if bytes.count > Self.maximumLength { throw error(.tooLong) }
    }

    mutating func condition() throws(ConditionError) -> Condition.Expression {
        let expression = try disjunction()
        skipSpaces()
        guard position == bytes.count else { throw error(.expectedOperator) }
        return expression
    }

    // MARK: Grammar

    private mutating func disjunction() throws(ConditionError) -> Condition.Expression {
        var parts = [try conjunction()]
        while take("||") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(ConditionError) -> Condition.Expression {
        var parts = [try negation()]
        while take("&&") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation() throws(ConditionError) -> Condition.Expression {
        var isNegated = false
        while take("!") { isNegated.toggle() }
        let operand = take("(") ? try parenthesised() : try membership()
        return isNegated ? .not(operand) : operand
    }

    private mutating func parenthesised() throws(ConditionError) -> Condition.Expression {
        guard depth < Self.maximumDepth else { throw error(.tooDeep) }
        depth += 1
        let expression = try disjunction()
        depth -= 1
        guard take(")") else { throw error(.unclosedParenthesis) }
        return expression
    }

    private mutating func membership() throws(ConditionError) -> Condition.Expression {
        guard take("'") else { throw error(.expectedTopic) }
        let topic = try quotedTopic()
        guard takeWord("in"), takeWord("topics") else { throw error(.expectedInTopics) }
        return .topic(topic)
    }

    private mutating func quotedTopic() throws(ConditionError) -> String {
        let start = position
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "'")) else {
            throw ConditionError(reason: .unclosedQuote, position: start - 1)
        }
        guard TopicName.isValid(bytes[start..<end]) else { throw error(.invalidTopic) }
        let topic = String(decoding: bytes[start..<end], as: UTF8.self)
        if !topics.contains(topic) {
            guard topics.count < Condition.maximumTopics else { throw error(.tooManyTopics) }
            topics.append(topic)
        }
        position = end + 1
        return topic
    }

    // MARK: Tokens

    private func error(_ reason: ConditionError.Reason) -> ConditionError {
        ConditionError(reason: reason, position: position)
    }

    private mutating func skipSpaces() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private mutating func take(_ token: String) -> Bool {
        skipSpaces()
        guard bytes[position...].starts(with: token.utf8) else { return false }
        position += token.utf8.count
        return true
    }

    /// Consumes a word that no letter or digit follows: `intopics` is not `in topics`.
    private mutating func takeWord(_ word: String) -> Bool {
        skipSpaces()
        let end = position + word.utf8.count
        guard bytes[position...].starts(with: word.utf8), end == bytes.count || !Self.isWord(bytes[end]) else {
            return false
        }
        position = end
        return true
    }

    private static func isWord(_ byte: UInt8) -> Bool { byte >= 0x80 || byte.isASCIILetterOrDigit }
}
