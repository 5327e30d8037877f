import JSON

/// The body of `PUT /answers` and `POST /answers`: one step with its token, or a token and several steps.
struct AnswerOrder: Hashable, Sendable {
    /// `nil` for every device token.
    let token: String?
    let answers: [ScriptedAnswer]

    init(_ object: JSONObject) throws(ControlError) {
        token = try Self.token(object)
        var step = object
        step["token"] = nil
        guard let steps = step["answers"] else {
            answers = [try ScriptedAnswer(step)]
            return
        }
        guard step.count == 1, let steps = steps.array else {
            throw .badRequest("answers is an array of steps, and nothing but token stands beside it")
        }
        answers = try Self.answers(steps)
    }

    /// Left out, `token` is an error: an order for every token should say so.
    private static func token(_ object: JSONObject) throws(ControlError) -> String? {
        switch object["token"] {
        case .string(let token)?: return token
        case .null?: return nil
        default: throw .badRequest("token is missing, or no string; give a device token, or null for all of them")
        }
    }

    private static func answers(_ steps: [JSONValue]) throws(ControlError) -> [ScriptedAnswer] {
        var answers: [ScriptedAnswer] = []
        for step in steps {
            guard let object = step.object else { throw .badRequest("a step in answers is not a JSON object") }
            answers.append(try ScriptedAnswer(object))
        }
        return answers
    }
}
