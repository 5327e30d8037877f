import JSON

/// Why the control address refused a request, with what to do about it.
struct ControlError: Error, Hashable, Sendable {
    let status: Int
    let code: String
    let message: String
    var allow: [String] = []

    static func badRequest(_ message: String) -> ControlError {
        ControlError(status: 400, code: "bad_request", message: message)
    }

    static func notFound(_ path: String) -> ControlError {
        ControlError(status: 404, code: "not_found", message: "there is nothing at \(path); GET / lists what there is")
    }

    static func methodNotAllowed(_ method: String, _ path: String, allow: [String]) -> ControlError {
        ControlError(
            status: 405, code: "method_not_allowed",
            message: "\(path) does not know \(method); it knows \(allow.joined(separator: ", "))", allow: allow)
    }

    static let tooLarge = ControlError(
        status: 413, code: "too_large", message: "the body is larger than 1 MiB; send the answers in several requests")

    var response: ControlResponse {
        ControlResponse(status: status, body: ["error": .string(code), "message": .string(message)], allow: allow)
    }
}
