import HTTPTypes
import JSON

/// The endpoints of photos, which any person with the link can send and the task's device can read.
struct PhotoEndpoints: Sendable {
    private let photos: TaskPhotos
    private let uploads: PhotoUploads
    private let limits: PhotoLimits
    private let access: TaskAccess
    private let links: TaskLinks

    init(
        photos: TaskPhotos, uploads: PhotoUploads, limits: PhotoLimits, access: TaskAccess, links: TaskLinks
    ) {
        self.photos = photos
        self.uploads = uploads
        self.limits = limits
        self.access = access
        self.links = links
    }

    // MARK: Adding

    @Sendable func add(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await access.openTask(of: request)
        return try await uploads.receiving(request) { body in
            let pictures = try body.pictures(of: body.contents())
            guard !pictures.isEmpty else { throw HumanTasksError.photoMissing }
            let kept = try await photos.keep(pictures, of: task)
            let base = links.base(request)
            return FunctionResponse(
                status: .created,
                body: [
                    "photos": .array(kept.photos.map { $0.json(base: base) }),
                    "photo_count": .integer(Int64(kept.task.photoCount)),
                ])
        }
    }

    /// Adds photos like ``add(_:)``, with the contract's response and error texts, which are about a single photo. A
    /// form with several photos stores them all; the response is about the first.
    @Sendable func upload(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await access.openTask(of: request)
        do {
            return try await uploads.receiving(request) { body in
                let pictures = try body.pictures(of: Self.contents(of: body))
                guard let photo = try await photos.keep(pictures, of: task).photos.first else {
                    throw HumanTasksError.photoMissingInForm
                }
                return FunctionResponse(
                    status: .created,
                    body: [
                        "photo_id": .string(photo.id), "r2_key": .string(photo.key),
                        "file_size": .integer(Int64(photo.size)),
                    ])
            }
        } catch let error as HumanTasksError where error.status == .contentTooLarge {
            throw HumanTasksError.uploadTooLarge(limits.bytes)
        }
    }

    private static func contents(of body: UploadedBody) throws(HumanTasksError) -> [ArraySlice<UInt8>] {
        let contents = try body.contents()
        guard !contents.isEmpty else { throw body.isForm ? .photoMissingInForm : .photoEmpty }
        guard !contents.contains(where: \.isEmpty) else { throw .photoEmpty }
        return contents
    }

    // MARK: Showing

    @Sendable func list(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await access.ownTask(of: request)
        let photos = try await photos.all(of: task)
        let base = links.base(request)
        return FunctionResponse(
            body: [
                "hit_id": .string(task.id), "photos": .array(photos.map { $0.json(base: base) }),
                "count": .integer(Int64(photos.count)),
            ])
    }

    @Sendable func show(_ request: FunctionRequest) async throws -> FunctionResponse {
        let task = try await access.ownTask(of: request)
        let (photo, contents) = try await photos.photo(request.parameters["photo"] ?? "", of: task)
        var headerFields: HTTPFields = [
            .contentDisposition: "inline; filename=\"\(task.id)-\(photo.name)\"",
            .cacheControl: "private, max-age=86400, immutable", .xContentTypeOptions: "nosniff",
        ]
        headerFields[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        return FunctionResponse(
            headerFields: headerFields, content: .file(contents, type: photo.type.mediaType))
    }
}
