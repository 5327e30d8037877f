/// A complete response. A response with any status is a success of the client.
package struct HTTP2Response: Sendable {
    /// A header or trailer field.
    package struct Field: Sendable, Equatable {
        /// The name, in lower case.
        package let name: String
        /// The value.
        package let value: String
    }

    /// The status code, such as 200.
    package internal(set) var statusCode = 0
    /// The header fields that the request keeps, followed by such trailer fields.
    package internal(set) var fields: [Field] = []
    /// The body, at most as long as the configuration allows.
    package internal(set) var body: [UInt8] = []

    /// Returns the first value of a field; `nil` if there is none. The name must be in lower case.
    package func value(of name: String) -> String? { fields.first { $0.name == name }?.value }
}
