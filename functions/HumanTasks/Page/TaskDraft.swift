import JSON

/// The entries in the page's form, and their errors.
struct TaskDraft: Sendable {
    enum FieldName {
        static let name = "name"
        static let choice = "choice"
        static let photo = UploadedBody.photoField
        static let text = "text"
    }

    /// The value of the option “None of these”.
    static let none = "none"
    static let maximumTextLength = 2_000
    /// The length to which shown entries are cut. Browsers do not allow longer ones.
    private static let keptLength = 4_000

    /// The words of the page.
    let words: PageWords
    private(set) var name: String
    private(set) var text = ""
    /// The chosen values.
    private(set) var values: Set<String> = []
    /// The chosen values that are indices of options.
    private(set) var choices: Set<Int> = []
    private(set) var isNone = false
    /// `true` if the respondent is not a participant.
    private(set) var isOutsider = false
    /// The errors by field.
    private(set) var problems: [(field: String, text: String)] = []

    init(name: String?, _ words: PageWords) {
        self.name = name ?? ""
        self.words = words
    }

    init(_ form: MultipartForm, _ words: PageWords) {
        self.words = words
        name = (form.text(FieldName.name) ?? "").trimmingWhitespace().truncated(to: Self.keptLength)
        // Browsers end lines with CRLF.
        text = (form.text(FieldName.text) ?? "").replacing("\r\n", with: "\n").trimmingWhitespace()
            .truncated(to: Self.keptLength)
        let chosen = form.texts(FieldName.choice)
        values = Set(chosen)
        choices = Set(chosen.compactMap { Int($0) })
        isNone = chosen.contains(Self.none)
    }

    func problem(with field: String) -> String? { problems.first { $0.field == field }?.text }

    /// Adds an error of a field.
    mutating func report(_ field: String, _ text: String) { problems.append((field, text)) }

    /// Adds the errors that keep this from being an answer.
    ///
    /// - Parameter photoCount: The number of photos that the task has.
    mutating func check(against question: TaskQuestion, photoCount: Int, maximumPhotos: Int) {
        checkName(question)
        if CheckedFields.problem(of: text, 0...Self.maximumTextLength) != nil {
            report(FieldName.text, words(.shortenText, ["count": String(Self.maximumTextLength)]))
        }
        switch question.kind {
        case .calendar(let choices):
            if choices.chosen(values).isEmpty, !isNone { report(FieldName.choice, words(.nothingChosen)) }
        case .options(let choices):
            self.choices.formIntersection(choices.options.indices)
            if !choices.takesSeveral, self.choices.count > 1 { self.choices = [] }
            if self.choices.isEmpty { report(FieldName.choice, words(.noOptionChosen)) }
        case .photos:
            guard problem(with: FieldName.photo) == nil, photoCount == 0 else { return }
            report(FieldName.photo, words(.addPhoto))
        case .text:
            guard problem(with: FieldName.photo) == nil, photoCount == 0 else { return }
            guard text.isEmpty, problem(with: FieldName.text) == nil else { return }
            report(FieldName.text, words(maximumPhotos > 0 ? .writeAnswerOrPhoto : .writeAnswer))
        }
    }

    private mutating func checkName(_ question: TaskQuestion) {
        guard question.names.isEmpty else {
            guard let known = question.names.first(where: { $0.asRespondent == name.asRespondent }) else {
                isOutsider = !name.isEmpty
                report(FieldName.name, words(name.isEmpty ? .chooseName : .onlyNamed))
                return
            }
            name = known
            return
        }
        if CheckedFields.problem(of: name, TaskAnswer.nameLength) != nil {
            report(FieldName.name, words(name.isEmpty ? .enterName : .shorterName))
        }
    }

    /// Returns `response_data`: the chosen values, in the form that the app counts, and `text`; empty if there are
    /// only photos.
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
