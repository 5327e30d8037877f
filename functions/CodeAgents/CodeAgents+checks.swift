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
    func function(
        _ name: String, isForPages: Bool = false,
        _ work: @escaping @Sendable (CheckedRequest) async throws -> FunctionResponse
    ) -> HTTPSFunction {
        HTTPSFunction(
            name: name, isForPages: isForPages,
            handle: CodeAgentsError.answering(in: name, logger) { try await work(try await check($0)) })
    }

    private func check(_ request: FunctionRequest) async throws(CodeAgentsError) -> CheckedRequest {
        guard request.method == .post else { throw .methodNotAllowed }
        let body = try await body(of: request)
        guard let secret = BearerCredential(authorization: request.headerFields[.authorization]),
            secret.isWellFormed(minimumLength: settings.minimumSecretLength)
        else { throw .unauthorized }
        let serverKey = SHA256.hexadecimal(of: secret.value)
        try limits.admit(serverKey: serverKey, address: request.clientAddress, at: now().seconds)
        guard !body.isEmpty, request.headerFields.isJSON else { throw .unsupportedMediaType }
        guard case .object(let object)? = try? JSONValue(parsing: body) else { throw .badRequest }
        return CheckedRequest(
            serverKey: serverKey, fields: LooseFields(object), clientAddress: request.clientAddress,
            preference: Preference(request.headerFields), headerFields: request.headerFields, body: body)
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
        guard let type = self[.contentType] else { return false }
        let mediaType = type.prefix { $0 != ";" }
        return mediaType == "application/json" || mediaType.trimmingWhitespace().lowercased() == "application/json"
    }
}

/// A server's secret, of which only the SHA-256 digest is stored.
extension BearerCredential {
    /// Returns `true` if the secret has an allowed length and contains only letters, digits and `+/=_-`.
    func isWellFormed(minimumLength: Int) -> Bool {
        value.utf8.count >= minimumLength && value.utf8.count <= 256
            && value.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+/=_-".utf8.contains($0) }
    }
}
