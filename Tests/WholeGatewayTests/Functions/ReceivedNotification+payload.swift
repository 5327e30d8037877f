import APNsSimulator
import JSON

extension ReceivedNotification {
    /// The payload without the message id, which the gateway makes; `nil` if there is none.
    var payloadWithoutID: JSONValue? {
        guard case .object(var object)? = payload, object["gcm.message_id"]?.string != nil else { return nil }
        object["gcm.message_id"] = nil
        return .object(object)
    }
}
