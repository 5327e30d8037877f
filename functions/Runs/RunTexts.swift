import DocumentStore

/// The texts for a run's notifications, from its events.
struct RunTexts: Hashable, Sendable {
    enum Field {
        static let repository = "repoName"
        static let prompt = "promptPreview"
        static let serverID = "serverId"
    }

    var repository: String?
    var prompt: String?
    var serverID: String?

    init(_ data: LooseFields) {
        repository = data.string("repo_name")
        prompt = data.string("prompt_preview")
        serverID = data.string("server_id")
    }

    init(_ document: Document?) {
        repository = document?[Field.repository]?.string
        prompt = document?[Field.prompt]?.string
        serverID = document?[Field.serverID]?.string
    }

    /// Returns these texts, with missing ones taken from earlier events.
    func filled(from earlier: RunTexts) -> RunTexts {
        var texts = self
        texts.repository = repository ?? earlier.repository
        texts.prompt = prompt ?? earlier.prompt
        texts.serverID = serverID ?? earlier.serverID
        return texts
    }

    var fields: Fields {
        var fields: Fields = [:]
        fields[Field.repository] = repository.map(Value.string)
        fields[Field.prompt] = prompt.map(Value.string)
        fields[Field.serverID] = serverID.map(Value.string)
        return fields
    }
}
