import DocumentStore
import JSON

/// An answer to a task.
///
/// `humanTasks/{id}/responses/{…}`: `id`, `name`, `data` (JSON text), `createdAt`
struct TaskAnswer: Sendable {
    enum Field {
        static let id = "id"
        static let name = "name"
        static let data = "data"
        static let createdAt = "createdAt"
    }

    private static let maximumDataSize = 16 * 1024
    static let nameLength = 1...50

    let id: String
    let taskID: String
    var name: String
    let data: JSONObject
    let createdAt: Timestamp

    init(to task: String, name: String, data: JSONObject, at time: Timestamp) {
        id = DocumentPath.randomID()
        taskID = task
        self.name = name
        self.data = data
        createdAt = time
    }

    init(to task: String, _ object: JSONObject, at time: Timestamp) throws(FieldIssues) {
        var fields = CheckedFields(object)
        let name = fields.text("respondent_name", Self.nameLength)
        let data = fields.object("response_data", atMost: Self.maximumDataSize)
        try fields.check()
        self.init(to: task, name: name, data: data, at: time)
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document, to task: String) {
        guard let id = document[Field.id]?.string, let name = document[Field.name]?.string,
            let data = document[Field.data]?.string.flatMap({ try? JSONValue(parsing: $0) })?.object
        else { return nil }
        self.id = id
        taskID = task
        self.name = name
        self.data = data
        createdAt = document[Field.createdAt]?.timestamp ?? document.createTime
    }

    var fields: Fields {
        [
            Field.id: .string(id), Field.name: .string(name), Field.data: .string(JSONValue.object(data).text),
            Field.createdAt: .timestamp(createdAt),
        ]
    }

    var json: JSONValue {
        [
            "id": .string(id), "hit_id": .string(taskID), "respondent_name": .string(name),
            "response_data": .object(data), "created_at": .string(createdAt.inMilliseconds),
        ]
    }
}
