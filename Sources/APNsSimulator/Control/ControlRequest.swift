import Foundation
import JSON

/// A request to the control address.
struct ControlRequest: Sendable {
    let method: String
    /// Without the query.
    let path: String
    let query: [String: String]
    let body: [UInt8]

    /// - Parameter target: the path with its query, as in the request line.
    init(method: String, target: String, body: [UInt8] = []) {
        let components = URLComponents(string: target)
        self.method = method
        self.path = components?.path ?? target
        let items = components?.queryItems ?? []
        self.query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, last in last }
        self.body = body
    }

    /// The JSON object in the body.
    func object() throws(ControlError) -> JSONObject {
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
