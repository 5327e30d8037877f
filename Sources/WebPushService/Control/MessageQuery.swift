import SimulatorTools

/// The query of `GET /notifications`.
struct MessageQuery: Hashable, Sendable {
    static let defaultLimit = 100
    static let defaultTimeout = Duration.seconds(10)
    /// The longest `timeout`, so that an abandoned client does not hold a connection forever.
    static let maximumTimeout = Duration.seconds(600)

    var filter = MessageFilter()
    var limit = Self.defaultLimit
    var offset = 0
    var waitFor: Int?
    var timeout = Self.defaultTimeout

    init(_ query: [String: String]) throws(ControlError) {
        for (name, value) in query { try read(name, value) }
    }

    private mutating func read(_ name: String, _ value: String) throws(ControlError) {
        switch name {
        case "token": filter.token = value
        case "topic": filter.topic = value
        case "urgency": filter.urgency = value
        case "message_id": filter.messageID = value
        case "status": filter.status = try Self.count(name, value)
        case "delivery": filter.delivery = try Self.delivery(value)
        case "limit": limit = try Self.count(name, value)
        case "offset": offset = try Self.count(name, value)
        case "wait_for": waitFor = try Self.count(name, value)
        case "timeout": timeout = try Self.seconds(name, value)
        default:
            throw .badRequest("unknown query parameter \(name); GET / lists the known ones")
        }
    }

    private static func delivery(_ value: String) throws(ControlError) -> MessageDelivery {
        guard let delivery = MessageDelivery(rawValue: value) else {
            let all = MessageDelivery.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("delivery is none of \(all)")
        }
        return delivery
    }

    private static func count(_ name: String, _ value: String) throws(ControlError) -> Int {
        guard let count = Int(value), count >= 0 else {
            throw .badRequest("\(name) is not a whole number of 0 or more; write it in decimal digits")
        }
        return count
    }

    private static func seconds(_ name: String, _ value: String) throws(ControlError) -> Duration {
        guard let seconds = Double(value), seconds >= 0, seconds <= maximumTimeout / .seconds(1) else {
            throw .badRequest("\(name) is not a number of seconds from 0 to \(Int(maximumTimeout / .seconds(1)))")
        }
        return .seconds(seconds)
    }
}
