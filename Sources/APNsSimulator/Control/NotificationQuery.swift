import SimulatorTools

/// The query of `GET /notifications`.
struct NotificationQuery: Hashable, Sendable {
    var filter = NotificationFilter()
    var page = PageQuery()

    init(_ query: [String: String]) throws(ControlError) {
        for (name, value) in query { try read(name, value) }
    }

    private mutating func read(_ name: String, _ value: String) throws(ControlError) {
        switch name {
        case "token": filter.token = value
        case "topic": filter.topic = value
        case "push_type": filter.pushType = value
        case "collapse_id": filter.collapseID = value
        case "apns_id": filter.apnsID = value
        case "status": filter.status = try PageQuery.count(name, value)
        default: try page.read(name, value)
        }
    }
}
