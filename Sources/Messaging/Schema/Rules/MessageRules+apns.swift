internal import JSON

extension MessageRules {
    mutating func checkAPNs() {
        checkAPNsHeaders()
        if let aps = message["apns"]?["payload"]?["aps"], aps.object == nil {
            report("apns.payload.aps", "Invalid APNs payload: 'aps' must be an object")
        }
        if let token = text("apns", "liveActivityToken") { checkLiveActivity(RegistrationToken(token)) }
    }

    /// A token of an activity stands for one device, and for nothing else that is sent there.
    private mutating func checkLiveActivity(_ token: RegistrationToken) {
        let field = "apns.live_activity_token"
        if !token.isHexadecimal { report(field, "Invalid live activity token: must be hexadecimal digits") }
        if isForSubscribers { report(field, "A live activity token cannot be sent to a topic or condition") }
        let pushType = Message(json: message).apns?.header("apns-push-type")
        if let pushType, pushType != APNsPushType.liveactivity.rawValue {
            report(field, "With a live activity token the header 'apns-push-type' must be liveactivity")
        }
    }

    private mutating func checkAPNsHeaders() {
        var names: Set<String> = []
        for (name, value) in message["apns"]?["headers"]?.object?.members ?? [] {
            guard name.utf8.allSatisfy(\.isHTTPToken), !name.isEmpty else {
                report("apns.headers", "Invalid APNs header name: \(JSONValue.string(name).echo)")
                continue
            }
            let name = name.lowercased()
            if !names.insert(name).inserted { reportHeader(name, "is given more than once") }
            if let value = value.string { checkHeader(name, value) }
        }
    }

    private mutating func checkHeader(_ name: String, _ value: String) {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return reportHeader(name, "must have no control characters")
        }
        if let rule = APNsHeaderRule.all[name], !rule.holds(value) { reportHeader(name, rule.text) }
    }

    private mutating func reportHeader(_ name: String, _ problem: String) {
        report("apns.headers", "Invalid APNs header '\(name)': \(problem)")
    }
}
