import JSON

/// How connections misbehave.
extension ControlRouter {
    func scriptConnections(_ request: ControlRequest, replacing: Bool) throws(ControlError) -> ControlResponse {
        let order = try ConnectionOrder(request.object())
        if replacing {
            scripts.replace(connections: order.connections)
        } else {
            scripts.append(connections: order.connections)
        }
        return remainingConnections
    }

    func forgetConnections() -> ControlResponse {
        scripts.replace(connections: [])
        return remainingConnections
    }

    var remainingConnections: ControlResponse {
        ControlResponse(body: ["connections": .array(scripts.remainingConnections.map(\.json))])
    }
}
