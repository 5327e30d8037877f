internal import JSON

/// The answers of participants so far, as the page shows them to the next one.
struct PollTally: Sendable {
    /// Those who have answered, in the form by which names are compared.
    private let respondents: Set<String>
    /// The names of those who chose a day, by the day.
    private let voters: [String: [String]]

    init(_ responses: [HitResponse]) {
        respondents = Set(responses.map(\.name.asRespondent))
        var voters: [String: [String]] = [:]
        for response in responses {
            for date in Set((response.data["selected_dates"]?.array ?? []).compactMap(\.string)) {
                voters[date, default: []].append(response.name)
            }
        }
        self.voters = voters
    }

    func hasAnswered(_ name: String) -> Bool { respondents.contains(name.asRespondent) }
    func voters(for date: String) -> [String] { voters[date] ?? [] }
}
