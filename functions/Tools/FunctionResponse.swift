public import HTTPTypes
public import JSON

/// What a function answers: a status and a JSON body.
public struct FunctionResponse: Hashable, Sendable {
    public var status: HTTPResponse.Status
    public var headerFields: HTTPFields
    public var body: JSONValue

    public init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: JSONValue) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}
