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
    /// The first of these fields that is there twice; `nil` if none is. Other fields may repeat, as HTTP allows.
    private(set) var duplicate: String?

    init(_ headers: [(name: String, value: String)]) {
        for (name, value) in headers { read(name, value) }
    }

    private mutating func read(_ name: String, _ value: String) {
        let isFirst =
            switch name {
            case "authorization": Self.set(&authorization, value)
            case "apns-id": Self.set(&id, value)
            case "apns-topic": Self.set(&topic, value)
            case "apns-push-type": Self.set(&pushType, value)
            case "apns-priority": Self.set(&priority, value)
            case "apns-expiration": Self.set(&expiration, value)
            case "apns-collapse-id": Self.set(&collapseID, value)
            default: true
            }
        if !isFirst, duplicate == nil { duplicate = name }
    }

    /// - Returns: `false` if the field has a value already.
    private static func set(_ field: inout String?, _ value: String) -> Bool {
        guard field == nil else { return false }
        field = value
        return true
    }
}
