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
    static let maximumTextLength = 2_000
    /// As much of what was entered is shown again, however long it was: browsers let nobody enter so much.
    private static let keptLength = 4_000

    var name: String
    var text = ""
    /// The places of options.
    var choices: Set<Int> = []
    var isNone = false
    /// By field.
    var problems: [(field: String, text: String)] = []

    init(name: String?) { self.name = name ?? "" }

    init(_ form: MultipartForm) {
        name = (form.text(FieldName.name) ?? "").trimmingWhitespace().truncated(to: Self.keptLength)
        // Browsers end lines by CRLF.
        text = (form.text(FieldName.text) ?? "").replacing("\r\n", with: "\n").trimmingWhitespace()
            .truncated(to: Self.keptLength)
        let chosen = form.texts(FieldName.choice)
        choices = Set(chosen.compactMap { Int($0) })
        isNone = chosen.contains(Self.none)
    }

    func problem(with field: String) -> String? { problems.first { $0.field == field }?.text }

    /// Notes what has to be mended before this is an answer to the task.
    mutating func check(against hit: Hit, maximumPhotos: Int) {
        if CheckedFields.problem(of: name, HitResponse.nameLength) != nil {
            problems.append(
                (FieldName.name, name.isEmpty ? "Enter your name." : "Enter a shorter name, of 50 letters."))
        }
        if CheckedFields.problem(of: text, 0...Self.maximumTextLength) != nil {
            problems.append((FieldName.text, "Shorten the text to \(Self.maximumTextLength) characters."))
        }
        if let choices = TaskChoices(hit.request) {
            self.choices.formIntersection(choices.options.indices)
            if !choices.takesSeveral, self.choices.count > 1 { self.choices = [] }
            let mayBeNone = hit.request.kind == .availability
            if self.choices.isEmpty, !(mayBeNone && isNone) {
                problems.append(
                    (FieldName.choice, mayBeNone ? "Choose what suits you, or “None of these”." : "Choose one."))
            }
            return
        }
        guard problem(with: FieldName.photo) == nil, hit.photoCount == 0 else { return }
        if hit.request.kind == .photo, maximumPhotos > 0 {
            problems.append((FieldName.photo, "Add a photo."))
        } else if text.isEmpty, problem(with: FieldName.text) == nil {
            problems.append((FieldName.text, "Write an answer\(maximumPhotos > 0 ? ", or add a photo" : "")."))
        }
    }

    /// `response_data`: `choices` as the task has them, `text`; nothing when photos say it all.
    func data(for hit: Hit) -> JSONObject {
        var data: JSONObject = [:]
        if let options = TaskChoices(hit.request)?.options {
            data["choices"] = .array(choices.sorted().map { options[$0].value })
        }
        if !text.isEmpty { data["text"] = .string(text) }
        return data
    }
}
