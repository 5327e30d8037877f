internal import DocumentStore
internal import JSON

/// A photo that somebody sent: what is known of it. The picture itself is a file, in the task's folder.
///
/// `humanTasks/{id}/photos/{id}`: `contentType`, `size` (in bytes), `createdAt`
struct HitPhoto: Sendable {
    enum Field {
        static let contentType = "contentType"
        static let size = "size"
        static let createdAt = "createdAt"
    }

    let id: String
    let hitID: String
    let type: ImageType
    let size: Int
    let createdAt: Timestamp

    init(of hit: String, _ picture: Picture, at time: Timestamp) {
        id = DocumentPath.randomID()
        hitID = hit
        type = picture.type
        size = picture.bytes.count
        createdAt = time
    }

    /// nil when the document lacks what a photo has.
    init?(_ document: Document, of hit: String) {
        guard let type = document[Field.contentType]?.string.flatMap(ImageType.init(rawValue:)) else { return nil }
        id = document.path.id
        hitID = hit
        self.type = type
        size = Int(document[Field.size]?.integer ?? 0)
        createdAt = document[Field.createdAt]?.timestamp ?? document.createTime
    }

    var fields: Fields {
        [
            Field.contentType: .string(type.mediaType), Field.size: .integer(Int64(size)),
            Field.createdAt: .timestamp(createdAt),
        ]
    }

    /// Of letters, digits and a dot.
    var fileName: String { "\(id).\(type.fileExtension)" }

    static func isWellFormed(id: String) -> Bool { id.wholeMatch(of: /[A-Za-z0-9]{20}/) != nil }

    /// - Parameter base: what links begin with.
    func json(base: String) -> JSONValue {
        [
            "id": .string(id), "hit_id": .string(hitID), "content_type": .string(type.mediaType),
            "size_bytes": .integer(Int64(size)), "created_at": .string(createdAt.inMilliseconds),
            "url": .string("\(base)/api/hits/\(hitID)/photos/\(id)"),
        ]
    }
}

/// What came as a photo, and is one.
struct Picture: Sendable {
    let type: ImageType
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>, atMost maximum: Int) throws(HumanTasksError) {
        guard bytes.count <= maximum else { throw .photoTooLarge(maximum) }
        guard let type = ImageType(of: bytes) else { throw .noPhoto }
        self.type = type
        self.bytes = bytes
    }
}
