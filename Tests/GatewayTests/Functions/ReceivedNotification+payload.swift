import APNsSimulator
import JSON

extension ReceivedNotification {
    /// The payload without the message's id, which the gateway makes up; `nil` if it has none.
    var payloadWithoutID: JSONValue? {
        guard case .object(var object)? = payload, object["gcm.message_id"]?.string != nil else { return nil }
        object["gcm.message_id"] = nil
        return .object(object)
    }
}
