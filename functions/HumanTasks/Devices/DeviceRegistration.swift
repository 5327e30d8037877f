import JSON

/// A request to register a device.
struct DeviceRegistration: Hashable, Sendable {
    let name: String
    /// The id that the app keeps across installations; `nil` if it sends none.
    let vendor: String?
    /// `true` to replace the token of a known device.
    let isRegenerating: Bool

    init(_ object: JSONObject) throws(FieldIssues) {
        var fields = CheckedFields(object)
        name = fields.text("name", 1...100)
        vendor = fields.optionalUUID("vendor_id")
        isRegenerating = fields.optionalBoolean("regenerate_token") ?? false
        try fields.check()
    }
}
