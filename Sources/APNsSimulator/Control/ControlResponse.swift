import JSON

/// An answer of the control address; always JSON.
struct ControlResponse: Sendable {
    var status = 200
    let body: JSONValue
    /// The methods a path knows; with 405 only (RFC 9110 §10.2.1).
    var allow: [String] = []
}
