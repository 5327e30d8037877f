import DocumentStore
import HTTPTypes
import JSON

/// The photos, which any person with the link can send and the task's device can read.
extension HumanTasks {
    @Sendable func addPhotos(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await task(of: request)
        try task.checkOpen(at: now())
        return try await receiving(request) { body in
            let pictures = try pictures(in: body, request)
            guard !pictures.isEmpty else { throw HumanTasksError.photoMissing }
            let kept = try await store(pictures, of: task)
            let base = baseURL(request)
            return FunctionResponse(
                status: .created,
                body: [
                    "photos": .array(kept.photos.map { $0.json(base: base) }),
                    "photo_count": .integer(Int64(kept.task.photoCount)),
                ])
        }
    }

    /// Returns the photos of a form, or the body as one photo.
    private func pictures(in body: [UInt8], _ request: FunctionRequest) throws(HumanTasksError) -> [Picture] {
        let contents = try hasForm(request) ? photos(of: form(body, request)) : body.isEmpty ? [] : [body[...]]
        return try pictures(of: contents)
    }

    func hasForm(_ request: FunctionRequest) -> Bool {
        request.headerFields[.contentType]?.lowercased().hasPrefix("multipart/") == true
    }

    /// Returns the contents of the photos in a form.
    func photos(of form: MultipartForm) -> [ArraySlice<UInt8>] {
        form.parts.filter { $0.name == TaskDraft.FieldName.photo && !$0.isUnchosen }.map(\.content)
    }

    func pictures(of contents: [ArraySlice<UInt8>]) throws(HumanTasksError) -> [Picture] {
        var pictures: [Picture] = []
        for content in contents { pictures.append(try Picture(content, atMost: settings.maximumPhotoBytes)) }
        return pictures
    }

    func form(_ body: [UInt8], _ request: FunctionRequest) throws(HumanTasksError) -> MultipartForm {
        do throws(MultipartForm.Problem) {
            return try MultipartForm(
                body, contentType: request.headerFields[.contentType],
                maximumParts: settings.maximumPhotos + Self.maximumOtherParts, files: [TaskDraft.FieldName.photo])
        } catch {
            switch error {
            case .tooManyParts: throw .tooManyPhotos(settings.maximumPhotos)
            case .textTooLarge: throw .tooLarge
            default: throw .malformedForm
            }
        }
    }

    /// The maximum number of parts besides photos. The largest grid of days and times has fewer.
    private static let maximumOtherParts = 1_000

    // MARK: Receiving

    /// Reads a body that may contain photos and runs the work on it.
    ///
    /// - Throws: ``HumanTasksError/unavailable`` if there is not enough memory at the moment.
    func receiving<Result>(
        _ request: FunctionRequest, _ work: ([UInt8]) async throws -> Result
    ) async throws -> Result {
        let maximum = settings.maximumUploadBytes
        // The length of a compressed body says nothing about its size.
        let isEncoded = request.headerFields[.contentEncoding] != nil
        let announced = isEncoded ? maximum : request.headerFields[.contentLength].flatMap { Int($0) } ?? maximum
        guard announced <= maximum else { throw HumanTasksError.tooLarge }
        let result = try await uploads.receiving(from: request.clientNetworks, atMost: max(0, announced)) { take in
            try await readPieces(of: request, atMost: maximum, take)
        } work: {
            try await work($0)
        }
        guard let result else { throw HumanTasksError.unavailable }
        return result
    }

    private func readPieces(
        of request: FunctionRequest, atMost maximum: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(HumanTasksError) {
        do {
            try await request.readPieces(maximum, take)
        } catch {
            throw HumanTasksError(error)
        }
    }

    // MARK: Showing

    @Sendable func listPhotos(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await ownTask(of: request)
        let query = Query.collection(try HumanTasksDocuments.photos(of: task.id))
            .ordered(by: FieldPath(TaskPhoto.Field.createdAt)).limited(to: 1_000)
        let photos = unreadable.models(of: try await store.documents(matching: query)) { TaskPhoto($0, of: task.id) }
        let base = baseURL(request)
        return FunctionResponse(
            body: [
                "hit_id": .string(task.id), "photos": .array(photos.map { $0.json(base: base) }),
                "count": .integer(Int64(photos.count)),
            ])
    }

    @Sendable func showPhoto(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await ownTask(of: request)
        guard let photo = try await photo(request.parameters["photo"] ?? "", of: task),
            let contents = try await StoredContents(of: photo.file, in: task.id, files)
        else { throw HumanTasksError.photoNotFound }
        var headerFields: HTTPFields = [
            .contentDisposition: "inline; filename=\"\(task.id)-\(photo.name)\"",
            .cacheControl: "private, max-age=86400, immutable", .xContentTypeOptions: "nosniff",
        ]
        headerFields[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        return FunctionResponse(
            headerFields: headerFields, content: .file(contents, type: photo.type.mediaType))
    }

    private func photo(_ id: String, of task: HumanTask) async throws(StoreError) -> TaskPhoto? {
        guard TaskPhoto.isWellFormed(id: id) else { return nil }
        let path = try HumanTasksDocuments.photos(of: task.id).document(id)
        return try await store.document(at: path).flatMap { TaskPhoto($0, of: task.id) }
    }
}

extension MultipartForm.Part {
    /// `true` for a file input without a chosen file.
    var isUnchosen: Bool { content.isEmpty && (filename ?? "").isEmpty }
}

/// The upload of one photo as in the contract, with the contract's error texts.
extension HumanTasks {
    @Sendable func upload(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await task(of: request)
        try task.checkOpen(at: now())
        do {
            return try await receiving(request) { body in
                let kept = try await store(try pictures(of: try uploads(in: body, request)), of: task)
                guard let photo = kept.photos.first else { throw HumanTasksError.photoMissingInForm }
                return FunctionResponse(
                    status: .created,
                    body: [
                        "photo_id": .string(photo.id), "r2_key": .string(photo.key),
                        "file_size": .integer(Int64(photo.size)),
                    ])
            }
        } catch let error as HumanTasksError where error.status == .contentTooLarge {
            throw HumanTasksError.uploadTooLarge(settings.maximumPhotoBytes)
        }
    }

    /// Returns the photos of a form, or the body. A form with several photos stores them all; the response is about
    /// the first.
    private func uploads(in body: [UInt8], _ request: FunctionRequest) throws(HumanTasksError) -> [ArraySlice<UInt8>] {
        let contents = try hasForm(request) ? photos(of: form(body, request)) : [body[...]]
        guard !contents.isEmpty else { throw .photoMissingInForm }
        guard !contents.contains(where: \.isEmpty) else { throw .photoEmpty }
        return contents
    }
}
