/// The form's fields for days, times and participants' names.
extension TaskPage {
    /// Returns the grid of an availability task, or the days of a group poll with the names that chose them.
    static func calendar(_ choices: CalendarChoices, _ kind: TaskKind, _ draft: TaskDraft, _ tally: PollTally) -> HTML {
        let field = TaskDraft.FieldName.choice
        let legend = choices.title ?? draft.words(kind == .groupPoll ? .whichDays : .whenFree)
        let rows =
            kind == .groupPoll
            ? choices.slots.map { day($0, draft, tally) }
            : choices.days.enumerated().map { number, day in times(day.date, day.slots, number, draft) }
        return """
            <fieldset id="\(field)" tabindex="-1" data-missing="\(draft.words(.nothingChosen))">
            <legend dir="auto">\(legend)</legend>
            \(problem(draft, field))
            \(rows)
            \(noneOfThese(draft))
            </fieldset>
            """
    }

    private static func day(_ slot: CalendarChoices.Slot, _ draft: TaskDraft, _ tally: PollTally) -> HTML {
        let voters = tally.voters(for: slot.date)
        let votes: HTML? =
            voters.isEmpty
            ? nil : "<span class=\"votes\" dir=\"auto\">\(voters.count): \(voters.joined(separator: ", "))</span>"
        return """
            <label class="option">\(box(slot, draft))\
            <span><span dir="auto">\(CalendarText.readable(slot.date, draft.words))</span>\(votes)</span></label>
            """
    }

    /// Returns a row of the grid.
    private static func times(
        _ date: String, _ slots: [CalendarChoices.Slot], _ number: Int, _ draft: TaskDraft
    ) -> HTML {
        let cells = slots.map { slot -> HTML in
            """
            <label class="slot">\(box(slot, draft))<span dir="auto">\(slot.time ?? slot.date)</span></label>
            """
        }
        return """
            <div class="day" role="group" aria-labelledby="day-\(number)">
            <p class="date" id="day-\(number)" dir="auto">\(CalendarText.readable(date, draft.words))</p>
            <div class="times">\(cells)</div>
            </div>
            """
    }

    private static func box(_ slot: CalendarChoices.Slot, _ draft: TaskDraft) -> HTML {
        let isChecked: HTML? = draft.values.contains(slot.value) ? " checked" : nil
        return """
            <input type="checkbox" name="\(TaskDraft.FieldName.choice)" value="\(slot.value)"\(isChecked)>
            """
    }

    private static func noneOfThese(_ draft: TaskDraft) -> HTML {
        let isChecked: HTML? = draft.isNone ? " checked" : nil
        return """
            <label class="option"><input type="checkbox" name="\(TaskDraft.FieldName.choice)" \
            value="\(TaskDraft.none)"\(isChecked)><span>\(draft.words(.noneOfThese))</span></label>
            """
    }

    // MARK: Names

    /// Returns the choice of the respondent's name among the participants.
    static func names(_ names: [String], _ draft: TaskDraft, _ tally: PollTally) -> HTML {
        let field = TaskDraft.FieldName.name
        let rows = names.map { name -> HTML in
            let hasAnswered = tally.hasAnswered(name)
            let isChecked: HTML? = draft.name.asRespondent == name.asRespondent && !hasAnswered ? " checked" : nil
            let isOff: HTML? = hasAnswered ? " disabled" : nil
            let note: HTML? = hasAnswered ? "<span class=\"votes\">\(draft.words(.hasAnswered))</span>" : nil
            return """
                <label class="option"><input type="radio" name="\(field)" value="\(name)"\(isChecked)\(isOff) required>\
                <span><span dir="auto">\(name)</span>\(note)</span></label>
                """
        }
        return """
            <fieldset id="\(field)" tabindex="-1">
            <legend>\(draft.words(.whoAreYou))</legend>
            \(problem(draft, field))
            <div class="names">\(rows)</div>
            </fieldset>
            """
    }
}
