import JSON

/// The body of `PUT /connections` and `POST /connections`: one step, or several.
struct ConnectionOrder: Hashable, Sendable {
    let connections: [ConnectionScript]

    init(_ object: JSONObject) throws(ControlError) {
        guard let steps = object["connections"] else {
            connections = [try ConnectionScript(object)]
            return
        }
        guard object.count == 1, let steps = steps.array else {
            throw .badRequest("connections is an array of steps, and nothing stands beside it")
        }
        var connections: [ConnectionScript] = []
        for step in steps { connections.append(try ConnectionScript(step.members("a step in connections"))) }
        self.connections = connections
    }
}
