import SimulatorTools

/// The query of `GET /notifications`.
struct MessageQuery: Hashable, Sendable {
    var filter = MessageFilter()
    var page = PageQuery()

    init(_ query: [String: String]) throws(ControlError) {
        for (name, value) in query { try read(name, value) }
    }

    private mutating func read(_ name: String, _ value: String) throws(ControlError) {
        switch name {
        case "token": filter.token = value
        case "topic": filter.topic = value
        case "urgency": filter.urgency = value
        case "message_id": filter.messageID = value
        case "status": filter.status = try PageQuery.count(name, value)
        case "delivery": filter.delivery = try Self.delivery(value)
        default: try page.read(name, value)
        }
    }

    private static func delivery(_ value: String) throws(ControlError) -> MessageDelivery {
        guard let delivery = MessageDelivery(rawValue: value) else {
            let all = MessageDelivery.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("delivery is none of \(all)")
        }
        return delivery
    }
}
