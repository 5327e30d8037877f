import HTTPTypes
import JSON

/// The errors that apps and senders receive. docs/relay.md has the tables.
struct RelayError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    let code: String
    /// The mistake and its correction, for developers; `nil` for errors that a program handles.
    var message: String?
    /// The delay after which a retry may succeed, in seconds.
    var retryAfter: Int64?
    /// The relay's time in seconds since 1970, for an app whose clock is wrong.
    var time: Int64?

    static func invalid(_ message: String) -> RelayError {
        RelayError(status: .badRequest, code: "invalid", message: message)
    }

    static func clock(_ time: Int64) -> RelayError {
        var error = RelayError(status: .unauthorized, code: "clock")
        error.time = time
        return error
    }

    static func later(_ seconds: Int64) -> RelayError {
        RelayError(status: .tooManyRequests, code: "later", retryAfter: seconds)
    }

    /// - Parameter part: The part of the request that is too large, such as `the body`.
    static func tooLarge(_ part: String, _ bytes: Int) -> RelayError {
        RelayError(status: .contentTooLarge, code: "invalid", message: "\(part) has more than \(bytes) bytes")
    }

    /// A revoked send secret.
    static let unauthorized = RelayError(status: .unauthorized, code: "unauthorized")

    /// A call of an app whose signature is missing or does not count.
    static func unsigned(_ message: String) -> RelayError {
        RelayError(status: .unauthorized, code: "unauthorized", message: message)
    }

    /// A request without a send secret. It is no verdict on one: a proxy before the relay may have removed it from the
    /// requests of all senders.
    static let noSendSecret = RelayError(
        status: .unauthorized, code: "unauthorized",
        message: "send Authorization: Bearer SEND-SECRET; a proxy before the relay may have removed it")
    static let notAdmitted = RelayError(status: .forbidden, code: "not_admitted")
    static let unknown = RelayError(status: .notFound, code: "unknown")
    static let gone = RelayError(status: .gone, code: "gone")
    static let nothingHere = RelayError(
        status: .notFound, code: "not_found", message: "there is nothing here, or not for this method")
    static let internalError = RelayError(status: .internalServerError, code: "later", retryAfter: 60)
    /// Nothing was accepted; the store cannot write at the moment.
    static let unavailable = RelayError(status: .serviceUnavailable, code: "later", retryAfter: 5)
    static let noRoom = RelayError(status: .serviceUnavailable, code: "later", retryAfter: 60)

    /// The response to a call of an app.
    var response: FunctionResponse {
        var response = answer(naming: "error")
        // An app signs its calls; it has no bearer key.
        if status == .unauthorized { response.headerFields[.wwwAuthenticate] = "Relay-Signature" }
        return response
    }

    /// The response to a sender. It reads `result`, except for mistakes of its own.
    var sendResponse: FunctionResponse { answer(naming: message == nil ? "result" : "error") }

    private func answer(naming member: String) -> FunctionResponse {
        var body: JSONObject = [member: .string(code)]
        body["message"] = message.map(JSONValue.string)
        body["time"] = time.map(JSONValue.integer)
        return FunctionResponse(error: status, retryAfter: retryAfter, body: .object(body))
    }
}

extension RelayError {
    static func translation(of error: any Error) -> RelayError? {
        (error as? SubscriptionFieldError).map { .invalid($0.text) }
    }

    init(_ error: JSONBodyError) {
        self =
            switch error {
            case .unreadable(.tooLarge): .tooLarge("the body", AuthorRelay.maximumBodyBytes)
            case .unreadable(.incomplete): .invalid("the body ended early")
            case .unreadable(.malformedEncoding): .invalid(RequestBodyError.malformedEncodingText)
            case .unreadable(.unsupportedEncoding):
                RelayError(
                    status: .unsupportedMediaType, code: "invalid", message: RequestBodyError.unsupportedEncodingText)
            case .malformed, .notAnObject: .invalid("the body must be a JSON object")
            }
    }
}
