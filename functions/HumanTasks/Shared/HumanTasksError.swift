import HTTPTypes
import JSON

/// The errors that clients receive, `{"error":TEXT}`. docs/functions/humantasks.md has the table.
struct HumanTasksError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    /// The error's code, as the metric counts it.
    let code: String
    let message: String
    var issues: [FieldIssue]?
    /// The delay after which a retry may succeed, in seconds.
    var retryAfter: Int64?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    // MARK: Callers

    static let missingDevice = HumanTasksError(.unauthorized, "missing_device", "Missing X-Device-ID header")
    static let unknownDevice = HumanTasksError(.forbidden, "unknown_device", "Unknown device")
    static let forbidden = HumanTasksError(.forbidden, "forbidden", "Forbidden")
    static let anotherDevice = HumanTasksError(.forbidden, "another_device", "Not the device of this path")

    static func tooManyDevices(retryAfter seconds: Int64) -> HumanTasksError {
        var error = HumanTasksError(.tooManyRequests, "rate_limited", "Too many new devices; try again later")
        error.retryAfter = seconds
        return error
    }

    static func tooManyTasks(retryAfter seconds: Int64) -> HumanTasksError {
        var error = HumanTasksError(.tooManyRequests, "too_many_tasks", "Too many new HITs; try again later")
        error.retryAfter = seconds
        return error
    }

    // MARK: Requests

    static let malformedJSON = HumanTasksError(.badRequest, "malformed_json", "Malformed JSON in request body")
    static let invalidJSON = HumanTasksError(.badRequest, "malformed_json", "Invalid JSON body")
    static let incomplete = HumanTasksError(.badRequest, "incomplete", "Request body ended early")
    static let tooLarge = HumanTasksError(.contentTooLarge, "too_large", "Request body too large")

    static let unsupportedEncoding = HumanTasksError(
        .unsupportedMediaType, "unsupported_encoding", RequestBodyError.unsupportedEncodingText)
    static let malformedEncoding = HumanTasksError(
        .badRequest, "malformed_encoding", "Request body is not valid gzip")

    init(_ error: RequestBodyError) {
        self =
            switch error {
            case .tooLarge: .tooLarge
            case .incomplete: .incomplete
            case .unsupportedEncoding: .unsupportedEncoding
            case .malformedEncoding: .malformedEncoding
            }
    }

    init(_ error: JSONBodyError) {
        self =
            switch error {
            case .unreadable(let error): HumanTasksError(error)
            case .malformed: .malformedJSON
            case .notAnObject: .invalidBody([FieldIssue(field: nil, message: "must be an object")])
            }
    }

    static func translation(of error: any Error) -> HumanTasksError? {
        switch error {
        case let error as FieldIssues: .invalidBody(error.issues)
        case let error as SubscriptionFieldError: .invalidBody([error.issue])
        case let error as RequestBodyError: HumanTasksError(error)
        default: nil
        }
    }

    /// The request may come from a page of another site, and needs no credentials.
    static func foreignOrigin(_ reason: String) -> HumanTasksError {
        HumanTasksError(.forbidden, "foreign_origin", reason)
    }

    static func invalidBody(_ issues: [FieldIssue]) -> HumanTasksError {
        var error = HumanTasksError(.badRequest, "invalid_body", "Invalid request body")
        error.issues = issues
        return error
    }

    static let tokenAndSubscription = invalidBody([
        FieldIssue(field: SubscriptionField.name, message: SubscriptionField.problem(beside: "token"))
    ])

    static let recipientMissing = HumanTasksError(
        .badRequest, "recipient_missing", "recipient_name is required when distribution_mode is not set")

    static func participantsMissing(_ mode: String) -> HumanTasksError {
        HumanTasksError(
            .badRequest, "participants_missing", "Distribution mode '\(mode)' requires participants array")
    }

    // MARK: Photos

    static let malformedForm = HumanTasksError(.badRequest, "malformed_form", "Malformed multipart body")
    static let photoMissing = HumanTasksError(.badRequest, "photo_missing", "No photo in request body")
    static let photoMissingInForm = HumanTasksError(.badRequest, "photo_missing", "No photo file in form data")
    static let photoEmpty = HumanTasksError(.badRequest, "photo_empty", "Empty photo data")
    static let noPhoto = HumanTasksError(
        .unsupportedMediaType, "no_photo", "Not a photo: JPEG, PNG, GIF, WebP, HEIC and HEIF are taken")
    static let photoNotFound = HumanTasksError(.notFound, "photo_not_found", "Photo not found")

    static func photoTooLarge(_ maximum: Int) -> HumanTasksError {
        HumanTasksError(.contentTooLarge, "photo_too_large", "Photo larger than \(maximum) bytes")
    }

    /// The same error as ``photoTooLarge(_:)``, in the contract's words.
    static func uploadTooLarge(_ maximum: Int) -> HumanTasksError {
        let megabyte = 1024 * 1024
        let limit = maximum % megabyte == 0 ? "\(maximum / megabyte)MB" : "\(maximum) bytes"
        return HumanTasksError(.badRequest, "photo_too_large", "Photo too large (max \(limit))")
    }

    static func tooManyPhotos(_ maximum: Int) -> HumanTasksError {
        HumanTasksError(.conflict, "too_many_photos", "HIT takes at most \(maximum) photos")
    }

    // MARK: Tasks and devices

    static let notFound = HumanTasksError(.notFound, "not_found", "Not Found")
    static let deviceNotFound = HumanTasksError(.notFound, "device_not_found", "Device not found")
    static let taskNotFound = HumanTasksError(.notFound, "hit_not_found", "HIT not found")
    static let completed = HumanTasksError(.badRequest, "completed", "HIT is completed")
    static let alreadyCompleted = HumanTasksError(.badRequest, "already_completed", "HIT already completed")
    static let expired = HumanTasksError(.badRequest, "expired", "HIT has expired")
    static let notParticipant = HumanTasksError(.badRequest, "not_participant", "Name not in participant list")
    static let alreadyAnswered = HumanTasksError(.conflict, "already_responded", "You have already responded")
    static let tooManyAnswers = HumanTasksError(.conflict, "too_many_responses", "HIT takes no more responses")

    // MARK: Failures of the gateway

    /// Nothing was accepted; the gateway cannot write at the moment.
    static let unavailable: HumanTasksError = {
        var error = HumanTasksError(.serviceUnavailable, "unavailable", "Try again in a few seconds")
        error.retryAfter = 5
        return error
    }()
    static let noRoom: HumanTasksError = {
        var error = HumanTasksError(.serviceUnavailable, "unavailable", DiskAdvice.text)
        error.retryAfter = 5
        return error
    }()
    static let internalError = HumanTasksError(.internalServerError, "internal", "Internal Server Error")

    var response: FunctionResponse {
        var body: JSONObject = ["error": .string(message)]
        body["issues"] = issues.map { .array($0.map(\.json)) }
        var headerFields: HTTPFields = [:]
        headerFields[.retryAfter] = retryAfter.map(String.init)
        if code == Self.unsupportedEncoding.code { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        return FunctionResponse(status: status, headerFields: headerFields, body: .object(body))
    }
}
