package import Functions
import HTTPTypes
package import Hummingbird
package import JSON
package import Messaging
package import Server

extension Request {
    /// Returns the request with its `Idempotency-Key`; `nil` if it has none.
    ///
    /// - Parameters:
    ///   - call: The call, for documents and metrics.
    ///   - scope: The part of the path that tells requests of the call apart.
    ///   - caller: The caller, by a text that is no secret.
    ///   - body: The body as it was sent.
    package func idempotent(
        at call: String, _ scope: String = "", of caller: String, body: [UInt8]
    ) throws(APIError) -> IdempotentRequest? {
        do {
            guard let key = try IdempotencyKey(headers) else { return nil }
            return IdempotentRequest(key, at: call, scope, of: caller, body: body)
        } catch {
            throw APIError(error)
        }
    }
}

extension IdempotentRequests {
    /// Answers a request in the form of Google's interfaces.
    ///
    /// - Parameters:
    ///   - restore: Returns the body for a message that was accepted, and whose first answer was not stored.
    ///   - work: Processes the request, with what is to be the draft's companion. An error that the client caused is
    ///     an answer.
    package func response(
        to request: IdempotentRequest, restore: (MessageAcceptance) async throws -> JSONValue,
        work: (@escaping Draft.Companion) async throws -> JSONValue
    ) async throws -> Response {
        do {
            let answer = try await self.answer(to: request) { acceptance in
                FunctionResponse(body: try await restore(acceptance))
            } work: { companion in
                do {
                    return FunctionResponse(body: try await work(companion))
                } catch let error as APIError where error.status.kind == .clientError {
                    return FunctionResponse(status: error.status, headerFields: error.headers, body: error.json)
                }
            }
            return Response(status: answer.status, headers: answer.headerFields, json: answer.body)
        } catch let error as IdempotencyError {
            throw APIError(error)
        }
    }
}

extension APIError {
    fileprivate init(_ error: IdempotencyError) {
        switch error {
        case .invalidKey: self.init(status: .badRequest, name: "INVALID_ARGUMENT", message: error.text)
        case .reused: self.init(status: .conflict, name: "ALREADY_EXISTS", message: error.text)
        }
    }
}
