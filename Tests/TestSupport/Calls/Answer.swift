public import HTTPTypes
public import JSON

/// One answer of a gateway.
public struct Answer: Sendable {
    public let status: Int
    public let headerFields: HTTPFields
    public let bytes: [UInt8]

    /// The body's JSON; null when it is none.
    public var body: JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// A function's error code, the `x` of `{"error":"x"}`.
    public var code: String? { body["error"]?.string }
}
