import Functions
import HTTPTypes
import JSON

/// A valid request to a function, which a test can make invalid.
struct Call: Sendable {
    /// A secret of 44 characters, in the app's form.
    static let secret = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
    /// The SHA-256 of the secret.
    static let serverKey = "d5c8befc259f5735444efc9fe69061533a7a6197edb723e0e062cebe283d1d0e"

    var method = HTTPRequest.Method.post
    var headers: HTTPFields = [.authorization: "Bearer \(secret)", .contentType: "application/json"]
    var body: [UInt8]
    var bodyError: RequestBodyError?
    var address = "192.0.2.1"

    init(_ json: JSONValue, secret: String = Self.secret, address: String = "192.0.2.1") {
        body = json.serialized
        headers[.authorization] = "Bearer \(secret)"
        self.address = address
    }

    /// Creates a request with this body, byte for byte.
    init(text: String) {
        self.init([:])
        body = Array(text.utf8)
    }

    var request: FunctionRequest {
        FunctionRequest(method: method, headerFields: headers, clientAddress: address) {
            [body, bodyError] maximum throws(RequestBodyError) in
            if let bodyError { throw bodyError }
            guard body.count <= maximum else { throw .tooLarge }
            return body
        }
    }
}

extension Call {
    static func register(
        _ installation: String = "phone", token: String = "token-1", cwd: String = "/srv/app", name: String? = nil,
        secret: String = Self.secret, address: String = "192.0.2.1"
    ) -> Call {
        var json: JSONObject = [
            "cwd": .string(cwd), "installation_id": .string(installation), "fcm_token": .string(token),
        ]
        json["agent_display_name"] = name.map(JSONValue.string)
        return Call(.object(json), secret: secret, address: address)
    }

    static func trigger(cwd: String = "/srv/app", _ more: JSONObject = [:], secret: String = Self.secret) -> Call {
        var json: JSONObject = ["cwd": .string(cwd)]
        for (name, value) in more.members { json[name] = value }
        return Call(.object(json), secret: secret)
    }

    static func unregister(_ installation: String = "phone", cwd: String? = nil, secret: String = Self.secret) -> Call {
        var json: JSONObject = ["installation_id": .string(installation)]
        json["cwd"] = cwd.map(JSONValue.string)
        return Call(.object(json), secret: secret)
    }
}
