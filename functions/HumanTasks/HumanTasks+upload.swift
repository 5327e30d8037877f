internal import HTTPTypes
internal import JSON

/// The upload of the contract: one photo, with its texts for what is wrong.
extension HumanTasks {
    @Sendable func upload(_ request: FunctionRequest) async throws -> FunctionResponse {
        let hit = try await hit(of: request)
        try hit.checkOpen(at: now())
        do {
            return try await receiving(request) { body in
                let kept = try await store(try pictures(of: try uploads(in: body, request)), of: hit)
                guard let photo = kept.photos.first else { throw HumanTasksError.photoMissingInForm }
                return FunctionResponse(
                    status: .created,
                    body: [
                        "photo_id": .string(photo.id), "r2_key": .string(photo.key),
                        "file_size": .integer(Int64(photo.size)),
                    ])
            }
        } catch let error as HumanTasksError where error.status == .contentTooLarge {
            throw HumanTasksError.uploadTooLarge(configuration.maximumPhotoBytes)
        }
    }

    /// The photos of a form, or the body; a form with several stores them all, and is answered with the first.
    private func uploads(in body: [UInt8], _ request: FunctionRequest) throws(HumanTasksError) -> [ArraySlice<UInt8>] {
        let contents = try hasForm(request) ? photos(of: form(body, request)) : [body[...]]
        guard !contents.isEmpty else { throw .photoMissingInForm }
        guard !contents.contains(where: \.isEmpty) else { throw .photoEmpty }
        return contents
    }
}
