import JSON
import Messaging

/// The devices in the bodies of registrations.
extension AuthorRelay {
    private static let longestToken = 4_096

    /// The address of an installation at a push service, and the name of its platform for the operator.
    typealias NamedDevice = (address: PushAddress, platform: String)

    /// Reads the device that a registration names: Apple's, a browser or Android's.
    func device(in object: JSONObject) throws -> NamedDevice {
        let names = ["apns", SubscriptionField.name, "fcm"].filter { object[$0].map { $0 != .null } ?? false }
        guard names.count == 1, let name = names.first else {
            throw RelayError.invalid("send one of apns, web_push and fcm")
        }
        switch name {
        case "apns": return (try appleAddress(in: object["apns"]?.object ?? [:]), "ios")
        case "fcm": return (try androidAddress(in: object["fcm"]?.object ?? [:]), "android")
        default: return (try browserAddress(in: object), "web")
        }
    }

    /// Reads a browser's subscription. Bodies of other systems have an address at a relay in the same form, which leads
    /// to no phone here: two addresses that lead to each other would send a message round for ever.
    private func browserAddress(in object: JSONObject) throws -> PushAddress {
        let address = try reach.subscriptions.requiredSubscription(in: LooseFields(object)).address
        guard !address.token.isAtRelay else {
            throw RelayError.invalid("web_push must be a browser's subscription, and is an address at a relay")
        }
        return address
    }

    /// Reads the part for cards on the lock screen; `nil` if a body has none.
    func liveActivity(in object: JSONObject, of device: PushAddress) throws(RelayError) -> LiveActivityPart? {
        let part: LiveActivityPart?
        do throws(LiveActivityPart.Refusal) {
            part = try LiveActivityPart.read(LooseFields(object), of: .phone)
        } catch {
            throw .invalid(error.text)
        }
        guard let part else { return nil }
        guard device.transport == .apns || device.token.isEmulated else {
            throw .invalid("live_activity is of Apple's phones: send it with apns")
        }
        return part
    }

    private func appleAddress(in object: JSONObject) throws -> PushAddress {
        let token = try token(in: object, of: "apns")
        var environment: String?
        if let name = object["environment"]?.string {
            environment = reach.forms.environment(name, of: token)
            guard environment != nil else {
                throw RelayError.invalid("apns.environment must be sandbox or production")
            }
        }
        let address = reach.forms.address(
            of: token, app: AppIdentity(bundleID: object["bundle_id"]?.string, environment: environment))
        guard address.transport == .apns || address.token.isEmulated else {
            throw RelayError.invalid("apns.token must be a device token in hexadecimal digits")
        }
        guard address.app.bundleID == nil || isAppConfigured(address) else {
            throw RelayError.invalid("apns.bundle_id is not an app of this relay")
        }
        return address
    }

    private func androidAddress(in object: JSONObject) throws -> PushAddress {
        let address = reach.forms.address(of: try token(in: object, of: "fcm"))
        guard address.transport == .fcm || address.token.isEmulated else {
            throw RelayError.invalid("fcm.token must be a registration token of FCM")
        }
        return address
    }

    private func token(in object: JSONObject, of name: String) throws -> String {
        guard let token = object["token"]?.string, (1...Self.longestToken).contains(token.utf8.count) else {
            throw RelayError.invalid("\(name).token must be a text of 1 to \(Self.longestToken) bytes")
        }
        try reach.forms.check(token, in: "\(name).token")
        return token
    }
}
