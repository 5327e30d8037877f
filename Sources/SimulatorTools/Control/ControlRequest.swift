import Foundation
package import JSON

/// A request to the control address.
package struct ControlRequest: Sendable {
    /// The method.
    package let method: String
    /// The path without the query.
    package let path: String
    /// The parameters of the query. Of several with one name, the last counts.
    package let query: [String: String]
    /// The body.
    package let body: [UInt8]

    /// Splits a request target.
    ///
    /// - Parameter target: The path with its query, as in the request line.
    package init(method: String, target: String, body: [UInt8] = []) {
        let components = URLComponents(string: target)
        self.method = method
        self.path = components?.path ?? target
        let items = components?.queryItems ?? []
        self.query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, last in last }
        self.body = body
    }

    /// Returns the JSON object in the body.
    package func object() throws(ControlError) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: body)
        } catch {
            throw .badRequest("the body is \(error); send a JSON object")
        }
        guard let object = value.object else { throw .badRequest("the body is not a JSON object; send one") }
        return object
    }
}

/// A response of the control address. Its body is always JSON.
package struct ControlResponse: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body.
    package let body: JSONValue
    /// The methods that a path accepts, for the `allow` field of a 405 (RFC 9110 §10.2.1).
    package let allow: [String]

    /// By default the status is 200.
    package init(status: Int = 200, body: JSONValue, allow: [String] = []) {
        self.status = status
        self.body = body
        self.allow = allow
    }
}

/// The reason that the control address refused a request, and the remedy.
package struct ControlError: Error, Hashable, Sendable {
    let status: Int
    let code: String
    let message: String
    var allow: [String] = []

    /// Returns the refusal of a request that is malformed.
    package static func badRequest(_ message: String) -> ControlError {
        ControlError(status: 400, code: "bad_request", message: message)
    }

    /// Returns the refusal of a request to an unknown path.
    package static func notFound(_ path: String) -> ControlError {
        ControlError(status: 404, code: "not_found", message: "no endpoint has the path \(path); GET / lists them")
    }

    /// Returns the refusal of a request with another method than a path accepts.
    package static func methodNotAllowed(_ method: String, _ path: String, allow: [String]) -> ControlError {
        ControlError(
            status: 405, code: "method_not_allowed",
            message: "\(path) does not accept \(method); it accepts \(allow.joined(separator: ", "))", allow: allow)
    }

    /// Returns the refusal of a request that the service could not carry out.
    package static func failed(_ message: String) -> ControlError {
        ControlError(status: 500, code: "internal", message: message)
    }

    static let tooLarge = ControlError(
        status: 413, code: "too_large", message: "the body is larger than 1 MiB; send the answers in several requests")

    /// The response that tells the reason.
    package var response: ControlResponse {
        ControlResponse(status: status, body: ["error": .string(code), "message": .string(message)], allow: allow)
    }
}
