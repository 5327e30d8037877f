package import JSON

/// The body of `PUT /answers` and `POST /answers`: a token with one step, or a token with a list of steps.
package struct AnswersRequest<Answer: Sendable>: Sendable {
    /// The token that the steps are for, or `nil` if they are for every one.
    package let token: String?
    /// The steps in order.
    package let answers: [Answer]

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - remedy: The end of the message for a body without a token, which says what to give.
    ///   - answer: Reads one step.
    package init(
        _ object: JSONObject, remedy: String, answer: (JSONObject) throws(ControlError) -> Answer
    ) throws(ControlError) {
        token = try Self.token(object, remedy)
        var step = object
        step["token"] = nil
        guard let steps = step["answers"] else {
            answers = [try answer(step)]
            return
        }
        guard step.count == 1, let steps = steps.array else {
            throw .badRequest("answers must be an array of steps, with no other member than token beside it")
        }
        answers = try Self.answers(steps, answer)
    }

    /// Reads `token`. A missing member is an error, so that a request for every token has to say `null`.
    private static func token(_ object: JSONObject, _ remedy: String) throws(ControlError) -> String? {
        switch object["token"] {
        case .string(let token)?: return token
        case .null?: return nil
        default: throw .badRequest("token is missing or not a string; \(remedy)")
        }
    }

    private static func answers(
        _ steps: [JSONValue], _ answer: (JSONObject) throws(ControlError) -> Answer
    ) throws(ControlError) -> [Answer] {
        var answers: [Answer] = []
        for step in steps {
            guard let object = step.object else { throw .badRequest("a step in answers is not a JSON object") }
            answers.append(try answer(object))
        }
        return answers
    }
}
