package import Functions

extension Gateway {
    /// The systems, one line each. Most are off unless their settings switch them on.
    package static let modules: [any FunctionModule.Type] = [
        CodeAgents.self,
        Runs.self,
        Turns.self,
        Sessions.self,
        HumanTasks.self,
    ]
}
