internal import JSON

/// What somebody has put into the page's form, and what is wrong with it.
struct TaskDraft: Sendable {
    enum FieldName {
        static let name = "name"
        static let choice = "choice"
        static let photo = "photo"
        static let text = "text"
    }

    /// Says that nothing of it fits.
    static let none = "none"
    static let nothingChosen = "Choose what suits you, or “None of these”."
    static let noOptionChosen = "Choose at least one."
    static let maximumTextLength = 2_000
    /// As much of what was entered is shown again, however long it was: browsers let nobody enter so much.
    private static let keptLength = 4_000

    var name: String
    var text = ""
    /// The values that were chosen.
    var values: Set<String> = []
    /// The values that are places of options.
    var choices: Set<Int> = []
    var isNone = false
    /// A Boolean value indicating whether somebody else than a participant answers.
    private(set) var isOutsider = false
    /// By field.
    var problems: [(field: String, text: String)] = []

    init(name: String?) { self.name = name ?? "" }

    init(_ form: MultipartForm) {
        name = (form.text(FieldName.name) ?? "").trimmingWhitespace().truncated(to: Self.keptLength)
        // Browsers end lines by CRLF.
        text = (form.text(FieldName.text) ?? "").replacing("\r\n", with: "\n").trimmingWhitespace()
            .truncated(to: Self.keptLength)
        let chosen = form.texts(FieldName.choice)
        values = Set(chosen)
        choices = Set(chosen.compactMap { Int($0) })
        isNone = chosen.contains(Self.none)
    }

    func problem(with field: String) -> String? { problems.first { $0.field == field }?.text }

    /// Notes what has to be mended before this is an answer.
    ///
    /// - Parameter photoCount: how many photos the task has.
    mutating func check(against question: TaskQuestion, photoCount: Int, maximumPhotos: Int) {
        checkName(question)
        if CheckedFields.problem(of: text, 0...Self.maximumTextLength) != nil {
            problems.append((FieldName.text, "Shorten the text to \(Self.maximumTextLength) characters."))
        }
        switch question.kind {
        case .calendar(let choices):
            if choices.chosen(values).isEmpty, !isNone { problems.append((FieldName.choice, Self.nothingChosen)) }
        case .options(let choices):
            self.choices.formIntersection(choices.options.indices)
            if !choices.takesSeveral, self.choices.count > 1 { self.choices = [] }
            if self.choices.isEmpty { problems.append((FieldName.choice, Self.noOptionChosen)) }
        case .photos:
            guard problem(with: FieldName.photo) == nil, photoCount == 0 else { return }
            problems.append((FieldName.photo, "Add a photo."))
        case .text:
            guard problem(with: FieldName.photo) == nil, photoCount == 0 else { return }
            guard text.isEmpty, problem(with: FieldName.text) == nil else { return }
            problems.append((FieldName.text, "Write an answer\(maximumPhotos > 0 ? ", or add a photo" : "")."))
        }
    }

    private mutating func checkName(_ question: TaskQuestion) {
        guard question.names.isEmpty else {
            guard let known = question.names.first(where: { $0.asRespondent == name.asRespondent }) else {
                isOutsider = !name.isEmpty
                problems.append(
                    (FieldName.name, name.isEmpty ? "Choose your name." : "Only those who are named here can answer."))
                return
            }
            name = known
            return
        }
        if CheckedFields.problem(of: name, HitResponse.nameLength) != nil {
            problems.append(
                (FieldName.name, name.isEmpty ? "Enter your name." : "Enter a shorter name, of 50 letters."))
        }
    }

    /// `response_data`: what was chosen, as the app tallies it, and `text`; nothing when photos say it all.
    func data(for question: TaskQuestion) -> JSONObject {
        var data: JSONObject = [:]
        switch question.kind {
        case .calendar(let choices): data[choices.field] = .array(choices.chosen(values).map(\.json))
        case .options(let choices): data["choices"] = .array(self.choices.sorted().map { choices.options[$0].value })
        case .photos, .text: break
        }
        if !text.isEmpty { data["text"] = .string(text) }
        return data
    }
}
