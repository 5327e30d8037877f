internal import HTTPTypes
internal import JSON

/// The errors a client sees, `{"error":TEXT}`; the table is docs/functions/humantasks.md.
struct HumanTasksError: Error, Hashable, Sendable {
    let status: HTTPResponse.Status
    /// Which one it is, for the metric.
    let code: String
    let message: String
    var issues: [FieldIssue]?
    /// In seconds.
    var retryAfter: Int64?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    // MARK: Who calls

    static let missingDevice = HumanTasksError(.unauthorized, "missing_device", "Missing X-Device-ID header")
    static let unknownDevice = HumanTasksError(.forbidden, "unknown_device", "Unknown device")
    static let anotherDevice = HumanTasksError(.forbidden, "another_device", "Not the device of this path")

    static func tooManyDevices(retryAfter seconds: Int64) -> HumanTasksError {
        var error = HumanTasksError(.tooManyRequests, "rate_limited", "Too many new devices; try again later")
        error.retryAfter = seconds
        return error
    }

    // MARK: What is asked

    static let malformedJSON = HumanTasksError(.badRequest, "malformed_json", "Malformed JSON in request body")
    static let invalidJSON = HumanTasksError(.badRequest, "malformed_json", "Invalid JSON body")
    static let incomplete = HumanTasksError(.badRequest, "incomplete", "Request body ended early")
    static let tooLarge = HumanTasksError(.contentTooLarge, "too_large", "Request body too large")

    static func invalidBody(_ issues: [FieldIssue]) -> HumanTasksError {
        var error = HumanTasksError(.badRequest, "invalid_body", "Invalid request body")
        error.issues = issues
        return error
    }

    // MARK: What there is

    static let notFound = HumanTasksError(.notFound, "not_found", "Not Found")
    static let deviceNotFound = HumanTasksError(.notFound, "device_not_found", "Device not found")
    static let hitNotFound = HumanTasksError(.notFound, "hit_not_found", "HIT not found")
    static let alreadyCompleted = HumanTasksError(.badRequest, "already_completed", "HIT already completed")
    static let expired = HumanTasksError(.badRequest, "expired", "HIT has expired")
    static let alreadyResponded = HumanTasksError(.conflict, "already_responded", "You have already responded")
    static let tooManyResponses = HumanTasksError(.conflict, "too_many_responses", "HIT takes no more responses")

    // MARK: The gateway's own troubles

    /// Nothing was accepted; the gateway cannot write at the moment.
    static let unavailable: HumanTasksError = {
        var error = HumanTasksError(.serviceUnavailable, "unavailable", "Try again in a few seconds")
        error.retryAfter = 5
        return error
    }()
    static let internalError = HumanTasksError(.internalServerError, "internal", "Internal Server Error")

    var response: FunctionResponse {
        var body: JSONObject = ["error": .string(message)]
        body["issues"] = issues.map { .array($0.map(\.json)) }
        var headerFields: HTTPFields = [:]
        headerFields[.retryAfter] = retryAfter.map(String.init)
        return FunctionResponse(status: status, headerFields: headerFields, body: .object(body))
    }
}
