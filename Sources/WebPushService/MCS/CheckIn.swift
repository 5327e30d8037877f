/// The check-in of a Chromium profile, by which it gets its id (Chromium, `google_apis/gcm/protocol/checkin.proto`).
struct CheckInRequest: Hashable, Sendable {
    /// The id of an earlier check-in; `nil` for the first one.
    let androidID: UInt64?
    /// The secret that belongs to the id.
    let securityToken: UInt64?

    /// Reads an `AndroidCheckinRequest`.
    init(_ body: [UInt8]) throws(MCSError) {
        let fields: ProtobufFields
        do { fields = try ProtobufFields(body) } catch { throw .malformed }
        androidID = fields.number(2).flatMap { $0 == 0 ? nil : $0 }
        securityToken = fields.number(13).flatMap { $0 == 0 ? nil : $0 }
    }
}

/// The answer to a check-in.
struct CheckInResponse: Hashable, Sendable {
    let androidID: UInt64
    let securityToken: UInt64
    /// The time in milliseconds since 1970.
    let time: Int64

    /// The answer as an `AndroidCheckinResponse`. It has no settings, so the browser keeps its own.
    var bytes: [UInt8] {
        var message = ProtobufWriter()
        message.write(UInt64(1), 1)
        message.write(Int(time), 3)
        message.write(fixed: androidID, 7)
        message.write(fixed: securityToken, 8)
        return message.bytes
    }
}
