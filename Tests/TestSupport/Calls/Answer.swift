public import HTTPTypes
public import JSON

/// An answer of a gateway.
public struct Answer: Sendable {
    public let status: Int
    public let headerFields: HTTPFields
    /// The body, byte for byte.
    public let bytes: [UInt8]

    /// The body as JSON; `.null` if it is not JSON.
    public var body: JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
    /// The body as UTF-8 text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The error code of a function, the `x` in `{"error":"x"}`.
    public var code: String? { body["error"]?.string }
}
