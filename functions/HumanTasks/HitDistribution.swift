internal import JSON

/// The way in which a task reaches its recipients.
enum DistributionMode: String, CaseIterable, Sendable {
    /// A task for each participant.
    case individual
    /// One task for all participants.
    case group
    /// One task for anyone with the link.
    case open
}

/// A call for one task, or for a task for each participant.
struct HitDistribution: Sendable {
    private static let maximumParticipants = 50

    let request: HitRequest
    let participants: [String]

    init(_ object: JSONObject) throws(FieldIssues) {
        var fields = CheckedFields(object)
        request = HitRequest(&fields)
        participants =
            fields.optionalTexts("participants", atMost: Self.maximumParticipants, HitRequest.nameLength) ?? []
        try fields.check()
    }

    /// - Throws: if nobody is named whom the mode needs.
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

    /// - Parameter groupID: makes the id that the tasks of several participants share, if none is given.
    func requests(groupID: () -> String) -> [HitRequest] {
        guard request.mode == .individual else { return [single] }
        let group = request.groupID ?? groupID()
        return participants.map { name in
            var request = request
            request.recipient = name
            request.groupID = group
            return request
        }
    }

    private var single: HitRequest {
        var request = request
        if request.mode != nil { request.recipient = nil }
        if request.mode != .open, !participants.isEmpty {
            request.addParticipants(.array(participants.map(JSONValue.string)))
        }
        return request
    }
}
