internal import JSON

/// Something that happened to a run, as a server reports it: `{id, run_id, seq, type, data, created_at}`.
struct RunEvent: Sendable {
    enum Kind: Sendable {
        case approvalRequested(approvalID: String)
        case approvalResolved(approvalID: String)
        case runCompleted
        case runFailed(error: String?)
        /// Nothing that anybody is told of.
        case other
    }

    let id: String
    let runID: String
    let type: String
    let kind: Kind
    /// What fills the texts.
    let repository: String?
    let promptPreview: String?
    let serverID: String?

    init(_ object: JSONObject) throws(RunsError) {
        id = try Self.required("id", in: object)
        runID = try Self.required("run_id", in: object)
        type = try Self.required("type", in: object)
        let data = LooseFields(object["data"]?.object ?? [:])
        switch type {
        case "approval_requested": kind = .approvalRequested(approvalID: try Self.approvalID(in: data))
        case "approval_resolved": kind = .approvalResolved(approvalID: try Self.approvalID(in: data))
        case "run_completed": kind = .runCompleted
        case "run_failed": kind = .runFailed(error: data.string("error"))
        default: kind = .other
        }
        repository = data.string("repo_name")
        promptPreview = data.string("prompt_preview")
        serverID = data.string("server_id")
    }

    private static func required(_ name: String, in object: JSONObject) throws(RunsError) -> String {
        guard let text = LooseFields(object).string(name) else { throw .invalidInput("\(name) is required") }
        return text
    }

    private static func approvalID(in data: LooseFields) throws(RunsError) -> String {
        guard let id = data.string("approval_id") else { throw .invalidInput("data.approval_id is required") }
        return id
    }
}
