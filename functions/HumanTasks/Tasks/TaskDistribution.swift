import JSON

/// A request to create one task, or one task per participant.
struct TaskDistribution: Sendable {
    private static let maximumParticipants = 50

    let request: TaskRequest
    let participants: [String]

    init(_ object: JSONObject) throws(FieldIssues) {
        var fields = CheckedFields(object)
        request = TaskRequest(&fields)
        participants =
            fields.optionalTexts("participants", atMost: Self.maximumParticipants, TaskRequest.nameLength) ?? []
        try fields.check()
    }

    /// - Throws: An error if the names that the mode requires are missing.
    func check() throws(HumanTasksError) {
        switch request.mode {
        case nil where request.recipient == nil: throw .recipientMissing
        case .individual where participants.isEmpty, .group where participants.isEmpty:
            throw .participantsMissing(request.mode?.rawValue ?? "")
        default: break
        }
    }

    /// The number of tasks.
    var count: Int { request.mode == .individual ? participants.count : 1 }

    /// - Parameter groupID: Makes the id that the tasks of several participants share, if the request has none.
    func requests(groupID: () -> String) -> [TaskRequest] {
        guard request.mode == .individual else { return [request.shared(by: participants)] }
        let group = request.groupID ?? groupID()
        return participants.map { request.addressed(to: $0, in: group) }
    }
}
