import HTTPTypes

/// The page with a task's form.
extension TaskPage {
    /// - Parameters:
    ///   - draft: The entries of an earlier attempt, or an empty draft.
    ///   - question: The task's question.
    ///   - action: The path to which the form is sent.
    ///   - hasAnswered: `true` for a browser that has sent an answer to a task that takes several.
    static func form(
        _ task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion, _ tally: PollTally, action: String,
        photos: PhotoLimits, hasAnswered: Bool = false, status: HTTPResponse.Status = .ok
    ) -> TaskPage {
        let (request, words) = (task.request, draft.words)
        let asker = request.asker ?? words(.someone)
        let title =
            request.recipient.map { words(.asksForSomething, ["asker": asker, "recipient": $0]) }
            ?? words(.asksYouForSomething, ["asker": asker])
        let day = CalendarText.day(task.expiresAt, words)
        let answered: HTML? =
            hasAnswered ? "<p class=\"there\" role=\"status\">\(words(.answeredBefore))</p>" : nil
        return TaskPage(
            status: status, language: words.language,
            title: draft.problems.isEmpty ? title : "\(words(.notSentYet)): \(title)",
            content: """
                <article class="card">
                \(header(request, words))
                \(answered)
                \(summary(draft))
                <form method="post" action="\(action)" enctype="multipart/form-data">
                \(fields(task, draft, question, tally, photos))
                <button type="submit" data-busy="\(words(.sending))">\(words(.done))</button>
                </form>
                </article>
                <p class="note">\(words(.anyoneCanAnswer, ["day": day])) \
                \(words.html(.goesTo, ["asker": "<bdi>\(asker)</bdi>"]))</p>
                """, preview: title)
    }

    private static func header(_ request: TaskRequest, _ words: PageWords) -> HTML {
        let asker = request.asker ?? words(.someone)
        let greeting = request.recipient.map { words(.hi, ["name": $0]) } ?? words(.hello)
        let agent: HTML? = request.agentBesideSender.map {
            "<span class=\"via\">\(words(.through)) <bdi>\($0)</bdi></span>"
        }
        let initial = asker.first.map { String($0).uppercased() } ?? "?"
        return """
            <header>
            <p class="from"><span class="avatar" aria-hidden="true">\(initial)</span>\
            <span><bdi class="asker">\(asker)</bdi> \(words(.asksYou)) \(agent)</span></p>
            <h1 dir="auto">\(greeting)</h1>
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
            <h2>\(draft.words(.notSentYet))</h2>
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
        let remark = text(draft, draft.words(.anythingToAdd), isOptional: true)
        switch question.kind {
        case .calendar(let choices): return [calendar(choices, task.request.kind, draft, tally), remark]
        case .options(let choices): return [self.choices(choices, draft), remark]
        case .photos: return [self.photos(task, draft, photos, isOptional: false), remark]
        case .text:
            let answer = text(draft, draft.words(.yourAnswer), isOptional: false)
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
            <fieldset id="\(field)" tabindex="-1" data-missing="\(draft.words(.noOptionChosen))">
            <legend>\(draft.words(choices.takesSeveral ? .chooseSeveral : .chooseOne))</legend>
            \(problem(draft, field))
            \(rows)
            </fieldset>
            """
    }

    private static func photos(_ task: HumanTask, _ draft: TaskDraft, _ photos: PhotoLimits, isOptional: Bool) -> HTML {
        let field = TaskDraft.FieldName.photo
        let left = max(0, photos.count - task.photoCount)
        let words = draft.words
        let arrived =
            task.photoCount == 1
            ? words(.photoArrived) : words(.photosArrived, ["count": String(task.photoCount)])
        let there: HTML? = task.photoCount == 0 ? nil : "<p class=\"there\">\(arrived)</p>"
        let limits = [
            "photos": left == 1 ? words(.onePhoto) : words(.upToPhotos, ["count": String(left)]),
            "megabytes": String(photos.megabytes), "total": String(photos.totalMegabytes), "count": String(left),
            // The script puts the name of a file here.
            "name": "{name}",
        ]
        let isLimitedTogether = photos.totalBytes < left * photos.bytes
        return """
            <div class="field">
            <label for="\(field)">\(words(task.photoCount == 0 ? .photos : .morePhotos))\
            \(optional(isOptional || task.photoCount > 0, words))</label>
            \(there)
            \(problem(draft, field))
            <input id="\(field)" name="\(field)" type="file" accept="image/*" multiple\
            \(described(draft, field, and: "photo-hint")) \
            data-most="\(left)" data-bytes="\(photos.bytes)" data-total="\(photos.totalBytes)" \
            data-too-many="\(words(.chooseAtMost, limits))" data-too-much="\(words(.chooseFewer, limits))" \
            data-too-large="\(words(.fileTooLarge, limits))">
            <p class="hint" id="photo-hint">\(words(isLimitedTogether ? .photoLimitsTogether : .photoLimits, limits))</p>
            <ul class="chosen" id="chosen" aria-label="\(words(.chosenPhotos))" hidden></ul>
            </div>
            """
    }

    private static func text(_ draft: TaskDraft, _ label: String, isOptional: Bool) -> HTML {
        let field = TaskDraft.FieldName.text
        let rows = isOptional ? 2 : 4
        return """
            <div class="field">
            <label for="\(field)">\(label)\(optional(isOptional, draft.words))</label>
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
            <label for="\(field)">\(draft.words(.yourName))</label>
            \(problem(draft, field))
            <input id="\(field)" name="\(field)" value="\(draft.name)" required maxlength="50" autocomplete="name" \
            dir="auto"\(described(draft, field))>
            </div>
            """
    }

    private static func optional(_ isOptional: Bool, _ words: PageWords) -> HTML? {
        isOptional ? " <span class=\"optional\">\(words(.optional))</span>" : nil
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
