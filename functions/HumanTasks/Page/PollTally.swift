import JSON

/// The answers of participants so far, which the page shows to the next one.
struct PollTally: Sendable {
    /// The respondents, in the form in which names are compared.
    private let respondents: Set<String>
    /// The names of the respondents who chose a day, by day.
    private let voters: [String: [String]]

    init(_ answers: [TaskAnswer]) {
        respondents = Set(answers.map(\.name.asRespondent))
        var voters: [String: [String]] = [:]
        for answer in answers {
            for date in Set((answer.data["selected_dates"]?.array ?? []).compactMap(\.string)) {
                voters[date, default: []].append(answer.name)
            }
        }
        self.voters = voters
    }

    func hasAnswered(_ name: String) -> Bool { respondents.contains(name.asRespondent) }
    func voters(for date: String) -> [String] { voters[date] ?? [] }
}
