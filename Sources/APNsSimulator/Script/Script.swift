import SimulatorTools

/// Scripted answers for single device tokens and for all of them. After the last step the answer is 200.
typealias Script = AnswerScript<ScriptedAnswer>

extension AnswerScript<ScriptedAnswer> {
    /// Creates a script without steps.
    init() { self.init(count: \.count, lowercasesTokens: true) }
}
