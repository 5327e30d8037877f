import SimulatorTools

/// Scripted answers for single endpoints and for all of them. After the last step the answer is 201.
typealias PushScript = AnswerScript<ScriptedPushAnswer>

/// The script that all connections share.
typealias PushScripts = AnswerScripts<ScriptedPushAnswer>

extension AnswerScript<ScriptedPushAnswer> {
    /// Creates a script without steps.
    init() { self.init(count: \.count, lowercasesTokens: false) }
}

extension AnswerScripts<ScriptedPushAnswer> {
    /// Creates a script without steps.
    convenience init() { self.init(PushScript()) }
}
