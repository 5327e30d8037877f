import DocumentStore
import JSON
import Messaging
import Texts

/// The record of a received photo. The image itself is a file in the task's folder.
///
/// `humanTasks/{id}/photos/{id derived from its bytes}`: `file`, `contentType`, `size` (in bytes), `createdAt`
struct TaskPhoto: Sendable {
    enum Field {
        static let createdAt = "createdAt"
        fileprivate static let file = "file"
        fileprivate static let contentType = "contentType"
        fileprivate static let size = "size"
    }

    let id: String
    let taskID: String
    /// The file's name. Each upload writes a file of its own, so no upload removes the file of another.
    let file: String
    let type: ImageType
    let size: Int
    private let createdAt: Timestamp

    init(of task: String, _ picture: Picture, at time: Timestamp) {
        id = picture.id
        taskID = task
        file = "\(DocumentPath.randomID()).\(picture.type.fileExtension)"
        type = picture.type
        size = picture.bytes.count
        createdAt = time
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document, of task: String) {
        guard let type = document[Field.contentType]?.string.flatMap(ImageType.init(rawValue:)) else { return nil }
        id = document.path.id
        taskID = task
        file = document[Field.file]?.string ?? "\(id).\(type.fileExtension)"
        self.type = type
        size = Int(document[Field.size]?.integer ?? 0)
        createdAt = document[Field.createdAt]?.timestamp ?? document.createTime
    }

    var fields: Fields {
        [
            Field.file: .string(file), Field.contentType: .string(type.mediaType),
            Field.size: .integer(Int64(size)), Field.createdAt: .timestamp(createdAt),
        ]
    }

    /// The name for saved copies, which consists of letters, digits and a dot.
    var name: String { "\(id).\(type.fileExtension)" }

    static func isWellFormed(id: String) -> Bool { id.utf8.count == 20 && id.isOfLettersAndDigits }

    /// Returns `true` if the file name is a photo's, or a temporary one of an interrupted write.
    static func isWellFormed(file: String) -> Bool {
        let parts = file.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, (1...20).contains(parts[0].utf8.count), parts[0].isOfLettersAndDigits,
            ImageType.allCases.contains(where: { $0.fileExtension == parts[1] })
        else { return false }
        return parts.count == 2 || isTemporary(parts[2])
    }

    /// Returns `true` for `new-PROCESS-RANDOM`, with digits and hexadecimal digits.
    private static func isTemporary(_ suffix: Substring) -> Bool {
        let parts = suffix.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == "new"
            && parts[1...].allSatisfy { !$0.isEmpty && $0.isOfLettersAndDigits }
    }

    /// The photo's name in the contract. The app uses it as an id and looks up nothing by it.
    var key: String { "hits/\(taskID)/\(name)" }

    /// - Parameter base: The beginning of links.
    func json(base: String) -> JSONValue {
        [
            "id": .string(id), "hit_id": .string(taskID), "r2_key": .string(key), "file_size": .integer(Int64(size)),
            "content_type": .string(type.mediaType), "uploaded_at": .string(createdAt.inMilliseconds),
            "url": .string("\(base)/api/hits/\(taskID)/photos/\(id)"),
        ]
    }
}

extension StringProtocol {
    fileprivate var isOfLettersAndDigits: Bool { utf8.allSatisfy(\.isASCIILetterOrDigit) }
}
