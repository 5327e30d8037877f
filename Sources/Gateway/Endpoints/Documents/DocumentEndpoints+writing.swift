import DocumentStore
import HTTPTypes
import Hummingbird
import JSON

/// The endpoints that write the gateway's own documents. They take only values that the reading endpoints show as they
/// are: a fingerprint in place of a device token is refused, so what was read and is sent back loses no token.
///
/// - `POST …/documents/{collection}?documentId=` creates a document.
/// - `PATCH …/documents/{document}?updateMask.fieldPaths=` writes a document, or the fields that the mask names.
/// - `DELETE …/documents/{document}` removes a document.
///
/// The last two take `currentDocument.exists` or `currentDocument.updateTime`.
extension DocumentEndpoints {
    /// The greatest size of a body. A document has at most 1 MiB, and is longer as JSON.
    private static let maximumBytes = 4 << 20

    /// The members of a document that only the store sets. They are taken, so that a document can be sent back as it
    /// was read, and have no effect.
    private static let ignoredMembers: Set<String> = ["name", "createTime", "updateTime"]

    func create(_ request: Request, _ resource: DocumentResource) async throws -> Response {
        guard resource.segments.count % 2 == 1 else {
            throw APIError.notFound("name a collection to create a document in; PATCH writes the document at a path")
        }
        let id = request.uri.queryParameters.get("documentId") ?? ""
        let collection = try CollectionPath(resource.path)
        let path = try collection.document(id.isEmpty ? DocumentPath.randomID() : id)
        return try await commit(.create(path, try await fields(of: request)))
    }

    func update(_ request: Request, _ resource: DocumentResource) async throws -> Response {
        guard resource.method == nil else { throw APIError.methodNotAllowed(allow: "POST") }
        let path = try DocumentPath(resource.path)
        let fields = try await fields(of: request)
        let precondition = try Self.precondition(request.uri.queryParameters)
        guard let mask = try Self.mask(request.uri.queryParameters) else {
            return try await commit(.set(path, fields, precondition: precondition))
        }
        return try await commit(.merge(path, fields, mask: mask, precondition: precondition))
    }

    func delete(_ request: Request, _ resource: DocumentResource) async throws -> Response {
        guard resource.method == nil else { throw APIError.methodNotAllowed(allow: "POST") }
        let precondition = try Self.precondition(request.uri.queryParameters)
        _ = try await store.commit([.delete(try DocumentPath(resource.path), precondition: precondition)])
        return Response(json: [:])
    }

    /// Applies a write and returns the document as it is afterwards, with device tokens redacted.
    private func commit(_ write: Write) async throws -> Response {
        let result = try await store.commit([write])
        if let document = try await store.document(at: write.path) {
            return Response(json: document.redacted.json(in: store.database))
        }
        // Another write has removed the document since.
        let time = result.updateTimes.first.flatMap { $0 } ?? result.commitTime
        return Response(
            json: ["name": .string(write.path.name(in: store.database)), "updateTime": .string(time.description)])
    }

    private func fields(of request: Request) async throws -> Fields {
        let body = try await request.jsonBody(maximumBytes: Self.maximumBytes)
        for member in body.object?.members ?? []
        where member.name != "fields" && !Self.ignoredMembers.contains(member.name) {
            throw APIError.invalidArgument(
                "the document has a member \"\(member.name)\"; its fields belong into \"fields\", as typed values")
        }
        let fields = try body["fields"].map { try Fields(json: $0) } ?? [:]
        if let name = fields.redactedField {
            throw APIError.invalidArgument(
                "the field \"\(name)\" contains the fingerprint of a device token, as documents are shown here; send "
                    + "the token, or leave the field out with updateMask.fieldPaths")
        }
        return fields
    }

    private static func mask(_ parameters: Parameters) throws -> [FieldPath]? {
        let texts = parameters.getAll("updateMask.fieldPaths")
        guard !texts.isEmpty else { return nil }
        return try texts.map { text -> FieldPath in
            let path = try FieldPath(parsing: text)
            guard !path.segments.contains(where: \.isFingerprint) else {
                throw APIError.invalidArgument("a field path in the mask contains the fingerprint of a device token")
            }
            return path
        }
    }

    private static func precondition(_ parameters: Parameters) throws -> Precondition? {
        let exists = parameters.get("currentDocument.exists")
        let updateTime = parameters.get("currentDocument.updateTime")
        switch (exists, updateTime) {
        case (nil, nil): return nil
        case (let exists?, nil):
            guard let exists = Bool(exists) else {
                throw APIError.invalidArgument("currentDocument.exists must be true or false")
            }
            return .exists(exists)
        case (nil, let updateTime?): return .updateTime(try Timestamp(parsing: updateTime))
        default: throw APIError.invalidArgument("give one of currentDocument.exists and currentDocument.updateTime")
        }
    }
}
