internal import HTTPTypes
internal import JSON
internal import Logging

/// What the endpoints have in common: the body, and one place where errors become answers.
extension HumanTasks {
    /// The largest body taken that is no photo, in bytes.
    static let maximumBodyBytes = 64 * 1024

    func endpoint(
        _ method: HTTPRequest.Method, _ path: PathPattern,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint {
        Endpoint(method, path) { request in
            do {
                return try await work(request)
            } catch {
                return known(error).response
            }
        }
    }

    /// - Parameter malformed: the error for what is no JSON.
    func object(
        of request: FunctionRequest, malformed: HumanTasksError = .malformedJSON
    ) async throws(HumanTasksError) -> JSONObject {
        let body = try await body(of: request, atMost: Self.maximumBodyBytes)
        guard let json = try? JSONValue(parsing: body) else { throw malformed }
        guard let object = json.object else {
            throw .invalidBody([FieldIssue(field: nil, message: "must be an object")])
        }
        return object
    }

    func body(of request: FunctionRequest, atMost maximum: Int) async throws(HumanTasksError) -> [UInt8] {
        do {
            return try await request.readBody(maximum)
        } catch {
            throw HumanTasksError(error)
        }
    }

    /// What is said of an error.
    func known(_ error: any Error) -> HumanTasksError {
        .known(foreseen(error), in: "humantasks", logger)
    }

    private func foreseen(_ error: any Error) -> any Error {
        switch error {
        case let error as FieldIssues: return HumanTasksError.invalidBody(error.issues)
        case let error as FileStorageError where error.isOutOfRoom: return HumanTasksError.noRoom
        case let error as FileStorageError:
            logger.error("a photo cannot be written or read", metadata: ["error": "\(error)"])
            return HumanTasksError.unavailable
        default: return error
        }
    }
}
