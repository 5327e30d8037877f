package import HTTPTypes
package import JSON

/// The response of a function.
package struct FunctionResponse: Hashable, Sendable {
    /// The HTTP status.
    package var status: HTTPResponse.Status
    /// The header fields, except those that describe the content.
    package var headerFields: HTTPFields
    /// The body.
    package var content: Content

    /// The body, by type.
    package enum Content: Hashable, Sendable {
        case none
        case json(JSONValue)
        /// Plain text in UTF-8.
        case text(String)
        case html(String)
        /// - Parameter type: The media type, such as `image/png`.
        case bytes([UInt8], type: String)
        /// - Parameter type: The media type, such as `image/jpeg`.
        case file(StoredContents, type: String)
    }

    package init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], content: Content) {
        self.status = status
        self.headerFields = headerFields
        self.content = content
    }

    package init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: JSONValue) {
        self.init(status: status, headerFields: headerFields, content: .json(body))
    }

    /// The JSON body; null if the content is not JSON.
    package var body: JSONValue {
        if case .json(let value) = content { value } else { .null }
    }
}
