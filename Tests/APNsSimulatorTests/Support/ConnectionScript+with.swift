import APNsSimulator

extension ConnectionScript {
    /// Returns a script with the closure's changes, for every connection unless a count is given.
    static func with(count: Int? = nil, _ change: (inout ConnectionScript) -> Void) -> ConnectionScript {
        var script = ConnectionScript(count: count)
        change(&script)
        return script
    }
}
