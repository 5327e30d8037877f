public import HTTPTypes
public import JSON

/// What a function answers.
public struct FunctionResponse: Hashable, Sendable {
    public var status: HTTPResponse.Status
    public var headerFields: HTTPFields
    public var content: Content

    /// The body, by what it is.
    public enum Content: Hashable, Sendable {
        case none
        case json(JSONValue)
        /// Plain text in UTF-8.
        case text(String)
        case html(String)
        /// - Parameter type: the media type, `image/jpeg`.
        case file(StoredContents, type: String)
    }

    public init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], content: Content) {
        self.status = status
        self.headerFields = headerFields
        self.content = content
    }

    public init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: JSONValue) {
        self.init(status: status, headerFields: headerFields, content: .json(body))
    }

    /// The body's JSON; null when it is something else.
    public var body: JSONValue {
        if case .json(let value) = content { value } else { .null }
    }
}
