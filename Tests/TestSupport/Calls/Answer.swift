package import HTTPTypes
package import JSON

/// An answer of a gateway.
package struct Answer: Sendable {
    package let status: Int
    package let headerFields: HTTPFields
    /// The body, byte for byte.
    package let bytes: [UInt8]

    /// The body as JSON; `.null` if it is not JSON.
    package var body: JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
    /// The body as UTF-8 text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The error code of a function, the `x` in `{"error":"x"}`.
    package var code: String? { body["error"]?.string }
}
