package import JSON

/// The endpoints of the control address for scripted answers, at `/answers`.
package struct AnswersEndpoints<Answer: Sendable>: Sendable {
    private let scripts: AnswerScripts<Answer>
    private let remedy: String
    private let read: @Sendable (JSONObject) throws(ControlError) -> Answer
    private let json: @Sendable (Answer) -> JSONValue

    /// Creates the endpoints of a script.
    ///
    /// - Parameters:
    ///   - remedy: The end of the message for a body without a token, which says what to give.
    ///   - read: Reads one step.
    ///   - json: Returns the JSON of a step.
    package init(
        _ scripts: AnswerScripts<Answer>, remedy: String,
        read: @escaping @Sendable (JSONObject) throws(ControlError) -> Answer,
        json: @escaping @Sendable (Answer) -> JSONValue
    ) {
        self.scripts = scripts
        self.remedy = remedy
        self.read = read
        self.json = json
    }

    /// Returns the response to a request; `nil` if the path does not accept its method.
    package func response(to request: ControlRequest) throws(ControlError) -> ControlResponse? {
        switch request.method {
        case "GET": break
        case "PUT":
            let order = try AnswersRequest(request.object(), remedy: remedy, answer: read)
            scripts.replace(with: order.answers, for: order.token)
        case "POST":
            let order = try AnswersRequest(request.object(), remedy: remedy, answer: read)
            scripts.append(order.answers, for: order.token)
        case "DELETE": try remove(request.query)
        default: return nil
        }
        return remaining
    }

    private func remove(_ query: [String: String]) throws(ControlError) {
        if let unknown = query.keys.first(where: { $0 != "token" }) {
            throw .badRequest("unknown query parameter \(unknown); DELETE /answers accepts only token")
        }
        if let token = query["token"] { scripts.removeAnswers(for: token) } else { scripts.removeAllAnswers() }
    }

    private var remaining: ControlResponse {
        let answers = scripts.remaining.map { token, answers -> JSONValue in
            ["token": token.map(JSONValue.string) ?? .null, "answers": .array(answers.map(json))]
        }
        return ControlResponse(body: ["answers": .array(answers)])
    }
}
