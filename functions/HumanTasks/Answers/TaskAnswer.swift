import DocumentStore
import JSON

/// An answer to a task.
///
/// `humanTasks/{id}/responses/{…}`: `id`, `name`, `data` (JSON text), `createdAt`
struct TaskAnswer: Sendable {
    enum Field {
        static let createdAt = "createdAt"
        fileprivate static let id = "id"
        fileprivate static let name = "name"
        fileprivate static let data = "data"
    }

    private static let maximumDataSize = 16 * 1024
    static let nameLength = 1...50

    let taskID: String
    let createdAt: Timestamp
    /// The name of the person who answers.
    private(set) var name: String
    let data: JSONObject
    private let id: String

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

    /// Spells the name as the task does.
    ///
    /// - Throws: An error if only others can answer.
    mutating func identify(by request: TaskRequest) throws(HumanTasksError) { name = try request.respondent(name) }

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
