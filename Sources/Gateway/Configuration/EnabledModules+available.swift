package import Functions

extension EnabledModules {
    /// The systems, one line each. Most are off unless their settings switch them on.
    package static let available: [any FunctionModule.Type] = [
        CodeAgents.self,
        Runs.self,
        Turns.self,
        Sessions.self,
        HumanTasks.self,
        Publishing.self,
        AuthorRelay.self,
    ]

    /// The collections at the root whose ids are credentials, of all systems: one that is off now may have documents.
    static let secretCollections = Set(available.flatMap { $0.secretCollections })
}
