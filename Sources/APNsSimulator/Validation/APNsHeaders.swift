/// The header fields APNs reads, taken out of a request in one pass.
///
/// Apple, "Sending notification requests to APNs", table 1.
struct APNsHeaders {
    private(set) var authorization: String?
    private(set) var id: String?
    private(set) var topic: String?
    private(set) var pushType: String?
    private(set) var priority: String?
    private(set) var expiration: String?
    private(set) var collapseID: String?
    /// Whether one of these fields stood in the request twice. Other fields may repeat, as HTTP allows.
    private(set) var hasDuplicates = false

    init(_ headers: [(name: String, value: String)]) {
        for (name, value) in headers { read(name, value) }
    }

    private mutating func read(_ name: String, _ value: String) {
        switch name {
        case "authorization": Self.set(&authorization, value, &hasDuplicates)
        case "apns-id": Self.set(&id, value, &hasDuplicates)
        case "apns-topic": Self.set(&topic, value, &hasDuplicates)
        case "apns-push-type": Self.set(&pushType, value, &hasDuplicates)
        case "apns-priority": Self.set(&priority, value, &hasDuplicates)
        case "apns-expiration": Self.set(&expiration, value, &hasDuplicates)
        case "apns-collapse-id": Self.set(&collapseID, value, &hasDuplicates)
        default: break
        }
    }

    private static func set(_ field: inout String?, _ value: String, _ hasDuplicates: inout Bool) {
        if field == nil { field = value } else { hasDuplicates = true }
    }
}
