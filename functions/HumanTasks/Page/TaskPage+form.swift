import HTTPTypes

/// The page with a task's form.
extension TaskPage {
    /// - Parameters:
    ///   - draft: The entries of an earlier attempt, or an empty draft.
    ///   - question: The task's question.
    ///   - action: The path to which the form is sent.
    static func form(
        _ task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion, _ tally: PollTally, action: String,
        photos: PhotoLimits, status: HTTPResponse.Status = .ok
    ) -> TaskPage {
        let request = task.request
        let asker = request.asker ?? "Someone"
        let title = "\(asker) asks \(request.recipient ?? "you") for something"
        return TaskPage(
            status: status, title: draft.problems.isEmpty ? title : "Not sent yet: \(title)",
            content: """
                <article class="card">
                \(header(request))
                \(summary(draft))
                <form method="post" action="\(action)" enctype="multipart/form-data">
                \(fields(task, draft, question, tally, photos))
                <button type="submit" data-busy="Sending…">Done</button>
                </form>
                </article>
                <p class="note">Anyone who has this link can answer, until \(CalendarText.day(task.expiresAt)). \
                What you send goes to <bdi>\(asker)</bdi>.</p>
                """, preview: title)
    }

    private static func header(_ request: TaskRequest) -> HTML {
        let asker = request.asker ?? "Someone"
        let agent: HTML? = request.agentBesideSender.map { "<span class=\"via\">through <bdi>\($0)</bdi></span>" }
        let initial = asker.first.map { String($0).uppercased() } ?? "?"
        return """
            <header>
            <p class="from"><span class="avatar" aria-hidden="true">\(initial)</span>\
            <span><bdi class="asker">\(asker)</bdi> asks you \(agent)</span></p>
            <h1 dir="auto">\(request.recipient.map { "Hi \($0)," } ?? "Hello,")</h1>
            <p class="task" dir="auto">\(request.taskDescription)</p>
            </header>
            """
    }

    /// Returns all errors, at the top of the page, where screen readers begin.
    private static func summary(_ draft: TaskDraft) -> HTML? {
        guard !draft.problems.isEmpty else { return nil }
        let items = draft.problems.map { problem -> HTML in
            "<li><a href=\"#\(problem.field)\" dir=\"auto\">\(problem.text)</a></li>"
        }
        return """
            <div class="problems" role="alert" tabindex="-1" autofocus>
            <h2>Not sent yet</h2>
            <ul>\(items)</ul>
            </div>
            """
    }

    private static func fields(
        _ task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion, _ tally: PollTally, _ photos: PhotoLimits
    ) -> [HTML] {
        let names = question.names
        let isNameFirst = !names.isEmpty
        let name = isNameFirst ? self.names(names, draft, tally) : name(draft)
        let fields = asked(task, draft, question, tally, photos)
        return isNameFirst ? [name] + fields : fields + [name]
    }

    private static func asked(
        _ task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion, _ tally: PollTally, _ photos: PhotoLimits
    ) -> [HTML] {
        let remark = text(draft, "Anything to add?", isOptional: true)
        switch question.kind {
        case .calendar(let choices): return [calendar(choices, task.request.kind, draft, tally), remark]
        case .options(let choices): return [self.choices(choices, draft), remark]
        case .photos: return [self.photos(task, draft, photos, isOptional: false), remark]
        case .text:
            let answer = text(draft, "Your answer", isOptional: false)
            return photos.count > 0 ? [answer, self.photos(task, draft, photos, isOptional: true)] : [answer]
        }
    }

    // MARK: Fields

    private static func choices(_ choices: TaskChoices, _ draft: TaskDraft) -> HTML {
        let field = TaskDraft.FieldName.choice
        let type = choices.takesSeveral ? "checkbox" : "radio"
        let isRequired: HTML? = choices.takesSeveral ? nil : " required"
        let rows = choices.options.enumerated().map { place, option -> HTML in
            let isChecked: HTML? = draft.choices.contains(place) ? " checked" : nil
            return """
                <label class="option"><input type="\(type)" name="\(field)" value="\(place)"\(isChecked)\(isRequired)>\
                <span dir="auto">\(option.label)</span></label>
                """
        }
        return """
            <fieldset id="\(field)" tabindex="-1" data-missing="\(TaskDraft.noOptionChosen)">
            <legend>\(choices.takesSeveral ? "Choose what you like" : "Choose one")</legend>
            \(problem(draft, field))
            \(rows)
            </fieldset>
            """
    }

    private static func photos(_ task: HumanTask, _ draft: TaskDraft, _ photos: PhotoLimits, isOptional: Bool) -> HTML {
        let field = TaskDraft.FieldName.photo
        let left = max(0, photos.count - task.photoCount)
        let there: HTML? =
            task.photoCount == 0
            ? nil
            : "<p class=\"there\">\(task.photoCount == 1 ? "1 photo has" : "\(task.photoCount) photos have") arrived.</p>"
        let together: HTML? =
            photos.totalBytes < left * photos.bytes ? " and \(photos.totalMegabytes) MB together" : nil
        return """
            <div class="field">
            <label for="\(field)">\(task.photoCount == 0 ? "Photos" : "More photos")\
            \(optional(isOptional || task.photoCount > 0))</label>
            \(there)
            \(problem(draft, field))
            <input id="\(field)" name="\(field)" type="file" accept="image/*" multiple\
            \(described(draft, field, and: "photo-hint")) \
            data-most="\(left)" data-bytes="\(photos.bytes)" data-megabytes="\(photos.megabytes)" \
            data-total="\(photos.totalBytes)" data-total-megabytes="\(photos.totalMegabytes)">
            <p class="hint" id="photo-hint">\(left == 1 ? "One photo" : "Up to \(left) photos"), \
            \(photos.megabytes) MB each\(together) at the most.</p>
            <ul class="chosen" id="chosen" aria-label="Chosen photos" hidden></ul>
            </div>
            """
    }

    private static func text(_ draft: TaskDraft, _ label: String, isOptional: Bool) -> HTML {
        let field = TaskDraft.FieldName.text
        let rows = isOptional ? 2 : 4
        return """
            <div class="field">
            <label for="\(field)">\(label)\(optional(isOptional))</label>
            \(problem(draft, field))
            <textarea id="\(field)" name="\(field)" rows="\(rows)" maxlength="\(TaskDraft.maximumTextLength)" \
            dir="auto"\(described(draft, field))>
            \(draft.text)</textarea>
            </div>
            """
    }

    private static func name(_ draft: TaskDraft) -> HTML {
        let field = TaskDraft.FieldName.name
        return """
            <div class="field">
            <label for="\(field)">Your name</label>
            \(problem(draft, field))
            <input id="\(field)" name="\(field)" value="\(draft.name)" required maxlength="50" autocomplete="name" \
            dir="auto"\(described(draft, field))>
            </div>
            """
    }

    private static func optional(_ isOptional: Bool) -> HTML? {
        isOptional ? " <span class=\"optional\">(optional)</span>" : nil
    }

    static func problem(_ draft: TaskDraft, _ field: String) -> HTML? {
        draft.problem(with: field).map { "<p class=\"problem\" id=\"\(field)-problem\" dir=\"auto\">\($0)</p>" }
    }

    private static func described(_ draft: TaskDraft, _ field: String, and other: String? = nil) -> HTML? {
        let isWrong = draft.problem(with: field) != nil
        let ids = [isWrong ? field + "-problem" : nil, other].compactMap(\.self).joined(separator: " ")
        let invalid: HTML? = isWrong ? " aria-invalid=\"true\"" : nil
        return ids.isEmpty ? invalid : "\(invalid) aria-describedby=\"\(ids)\""
    }
}

extension TaskRequest {
    /// The sender's name for people, if there is one.
    var asker: String? { sender ?? agent }
    /// The agent's name, if the request also has a sender.
    var agentBesideSender: String? { sender == nil ? nil : agent }
}
