import APNsSimulator

extension ConnectionScript {
    /// A script that says what is set in the closure, for every connection unless another count is given.
    static func with(count: Int? = nil, _ change: (inout ConnectionScript) -> Void) -> ConnectionScript {
        var script = ConnectionScript(count: count)
        change(&script)
        return script
    }
}
