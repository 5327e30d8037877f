internal import Cryptography
internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// A request that has passed every check a function has in common with the others.
struct CheckedRequest: Sendable {
    let serverKey: String
    let fields: LooseFields
    let clientAddress: String
    let preference: Preference
}

extension CodeAgents {
    /// The largest body taken, in bytes.
    static let maximumBodyBytes = 16_384

    /// A function of this module: the checks in the contract's order, the work, and one place where errors become
    /// answers.
    func function(
        _ name: String,
        _ work: @escaping @Sendable (CheckedRequest) async throws -> FunctionResponse
    ) -> HTTPSFunction {
        HTTPSFunction(
            name: name,
            handle: CodeAgentsError.answering(in: name, logger) { try await work(try await check($0)) })
    }

    private func check(_ request: FunctionRequest) async throws(CodeAgentsError) -> CheckedRequest {
        guard request.method == .post else { throw .methodNotAllowed }
        let body = try await body(of: request)
        guard let secret = BearerCredential(authorization: request.headerFields[.authorization]),
            secret.isWellFormed(minimumLength: configuration.minimumSecretLength)
        else { throw .unauthorized }
        let serverKey = SHA256.hexadecimal(of: secret.value)
        try limits.admit(serverKey: serverKey, address: request.clientAddress, at: now().seconds)
        guard !body.isEmpty, request.headerFields.isJSON else { throw .unsupportedMediaType }
        guard case .object(let object)? = try? JSONValue(parsing: body) else { throw .badRequest }
        return CheckedRequest(
            serverKey: serverKey, fields: LooseFields(object), clientAddress: request.clientAddress,
            preference: Preference(request.headerFields))
    }

    private func body(of request: FunctionRequest) async throws(CodeAgentsError) -> [UInt8] {
        do {
            return try await request.readBody(Self.maximumBodyBytes)
        } catch {
            switch error {
            case .tooLarge: throw .payloadTooLarge
            case .incomplete, .malformedEncoding: throw .badRequest
            case .unsupportedEncoding: throw .unsupportedEncoding
            }
        }
    }
}

extension HTTPFields {
    /// RFC 9110 §8.3: the media type, in any case, parameters allowed.
    fileprivate var isJSON: Bool {
        guard let type = self[.contentType] else { return false }
        let mediaType = type.prefix { $0 != ";" }
        return mediaType == "application/json" || mediaType.trimmingWhitespace().lowercased() == "application/json"
    }
}
