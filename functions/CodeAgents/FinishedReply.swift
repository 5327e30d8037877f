internal import Messaging

/// A valid body of `triggerReplyFinished`.
struct FinishedReply: Sendable {
    let agent: Agent
    let conversationID: String?
    let completionID: String?
    let renderableAssistantCount: Int64?
    let assistantMessageCursor: Int64?
    let cursorVersion: Int64?
    /// When the run ended by the daemon's clock; for tracing, not pushed.
    let finishedAt: String?
    /// The reply's beginning as it may be shown, or nil when none was sent, it was not wanted, or nothing is left of it.
    let preview: String?
    /// The phones that are left out: the one that is already looking, say.
    let excludedInstallationID: String?
    let excludedToken: RegistrationToken?

    /// A Boolean value indicating whether only the newer daemon, which waits for 15 s, can have sent it.
    var isFromNewerDaemon: Bool {
        renderableAssistantCount != nil || assistantMessageCursor != nil || cursorVersion != nil
    }

    init(_ request: CheckedRequest) throws(CodeAgentsError) {
        let fields = request.fields
        let cwd = try fields.optional(.cwd)
        conversationID = try fields.optional(.conversationID)
        completionID = try fields.optional(.completionID)
        excludedInstallationID = try fields.optional(.excludeInstallationID)
        excludedToken = try fields.optional(.excludeFCMToken).map { RegistrationToken($0) }
        guard let cwd else { throw .badRequest }
        agent = Agent(serverKey: request.serverKey, cwd: cwd)
        renderableAssistantCount = fields.integer("renderable_assistant_count")
        assistantMessageCursor = fields.integer("assistant_message_cursor")
        cursorVersion = fields.integer("cursor_version")
        finishedAt = fields.string("finished_at").map { String($0.prefix(64)) }
        // Clients older than the flag never send it and want their preview; newer ones always say.
        let wantsPreview = fields.boolean("include_preview") ?? true
        preview = wantsPreview ? fields.string("message_preview").flatMap(Preview.text) : nil
    }
}
