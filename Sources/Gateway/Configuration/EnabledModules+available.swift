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
    ]
}
