import JSON

/// How device tokens answer.
extension ControlRouter {
    func script(_ request: ControlRequest, replacing: Bool) throws(ControlError) -> ControlResponse {
        let order = try AnswerOrder(request.object())
        if replacing {
            scripts.replace(with: order.answers, for: order.token)
        } else {
            scripts.append(order.answers, for: order.token)
        }
        return remainingAnswers
    }

    func forgetAnswers(_ request: ControlRequest) throws(ControlError) -> ControlResponse {
        if let unknown = request.query.keys.first(where: { $0 != "token" }) {
            throw .badRequest("there is no query parameter \(unknown); the only one here is token")
        }
        if let token = request.query["token"] { scripts.removeAnswers(for: token) } else { scripts.removeAllAnswers() }
        return remainingAnswers
    }

    var remainingAnswers: ControlResponse {
        let answers = scripts.remaining.map { token, answers -> JSONValue in
            ["token": token.map(JSONValue.string) ?? .null, "answers": .array(answers.map(\.json))]
        }
        return ControlResponse(body: ["answers": .array(answers)])
    }
}
