import Cryptography
import DocumentStore
import HTTPTypes
import JSON
import Texts

/// A request that has passed the checks that all functions share.
struct CheckedRequest: Sendable {
    let serverKey: String
    let fields: LooseFields
    let clientAddress: String
    let preference: Preference
    let headerFields: HTTPFields
    let body: [UInt8]

    /// Returns the request with its `Idempotency-Key`; `nil` if it has none.
    ///
    /// - Parameter call: The function.
    func idempotent(at call: String) throws(IdempotencyError) -> IdempotentRequest? {
        guard let key = try IdempotencyKey(headerFields) else { return nil }
        return IdempotentRequest(key, at: call, of: serverKey, body: body)
    }
}

extension CodeAgents {
    /// The maximum size of a body, in bytes.
    static let maximumBodyBytes = 16_384

    /// Returns a function of this module. It makes the checks in the contract's order, does the work, and converts
    /// errors into responses.
    ///
    /// - Parameter budget: The limits that its requests count for.
    func function(
        _ name: String, isForPages: Bool = false, budget: RequestLimits.Budget = .calls,
        _ work: @escaping @Sendable (CheckedRequest) async throws -> FunctionResponse
    ) -> HTTPSFunction {
        HTTPSFunction(
            name: name, isForPages: isForPages,
            handle: CodeAgentsError.answering(in: name, logger) { request in
                try await work(try await check(request, budget))
            })
    }

    private func check(
        _ request: FunctionRequest, _ budget: RequestLimits.Budget
    ) async throws(CodeAgentsError) -> CheckedRequest {
        guard request.method == .post else { throw .methodNotAllowed }
        let body = try await body(of: request)
        let secret = try secret(of: request.headerFields)
        let serverKey = SHA256.hexadecimal(of: secret.value)
        try limits.admit(serverKey: serverKey, address: request.clientAddress, at: now().seconds, budget)
        guard request.headerFields.isJSON else { throw .unsupportedMediaType(request.headerFields.contentTypeProblem) }
        guard !body.isEmpty else {
            throw .unsupportedMediaType("the body is missing; the function takes a JSON object")
        }
        return CheckedRequest(
            serverKey: serverKey, fields: try Self.fields(of: body), clientAddress: request.clientAddress,
            preference: Preference(request.headerFields), headerFields: request.headerFields, body: body)
    }

    private func secret(of headerFields: HTTPFields) throws(CodeAgentsError) -> BearerCredential {
        guard let authorization = headerFields.value(of: .authorization) else {
            throw .unauthorized("the Authorization header is missing; it is “Bearer”, a space, and the secret")
        }
        guard let secret = BearerCredential(authorization: authorization) else {
            throw .unauthorized("the Authorization header is not “Bearer”, a space, and the secret")
        }
        if let problem = secret.problem(minimumLength: settings.minimumSecretLength) { throw .unauthorized(problem) }
        return secret
    }

    private static func fields(of body: [UInt8]) throws(CodeAgentsError) -> LooseFields {
        let json: JSONValue
        do throws(JSONParsingError) {
            json = try JSONValue(parsing: body)
        } catch {
            throw .badRequest("the body is \(error) of \(body.count)")
        }
        guard case .object(let object) = json else { throw .notAnObject }
        return LooseFields(object)
    }

    private func body(of request: FunctionRequest) async throws(CodeAgentsError) -> [UInt8] {
        do {
            return try await request.readBody(Self.maximumBodyBytes)
        } catch {
            throw CodeAgentsError(error)
        }
    }
}

extension HTTPFields {
    /// `true` for the JSON media type, in any case and with any parameters (RFC 9110 §8.3).
    fileprivate var isJSON: Bool {
        guard let type = value(of: .contentType) else { return false }
        let mediaType = type.prefix { $0 != ";" }
        return mediaType == "application/json" || mediaType.trimmingWhitespace().lowercased() == "application/json"
    }
}

extension HTTPFields {
    /// The reason why ``isJSON`` is `false`, for people.
    fileprivate var contentTypeProblem: String {
        let header = "the Content-Type header is \(self[.contentType] == nil ? "missing" : "another one")"
        return "\(header); send “Content-Type: application/json” (curl: -H 'Content-Type: application/json')"
    }
}

/// A server's secret, of which only the SHA-256 digest is stored.
extension BearerCredential {
    private static let maximumSecretLength = 256

    /// Returns the reason why a value is no secret, without the value; `nil` if it has an allowed length and contains
    /// only letters, digits and `+/=_-`.
    func problem(minimumLength: Int) -> String? {
        let length = value.utf8.count
        if length < minimumLength {
            return "the secret is too short: it has \(length) characters of at least \(minimumLength)"
        }
        if length > Self.maximumSecretLength {
            return "the secret is too long: it has \(length) characters of at most \(Self.maximumSecretLength)"
        }
        guard value.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "+/=_-".utf8.contains($0) }) else {
            return "the secret has characters other than letters, digits and +/=_-"
        }
        return nil
    }
}
