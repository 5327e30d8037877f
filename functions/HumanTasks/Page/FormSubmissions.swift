import DocumentStore
import HTTPTypes

/// The processing of the forms that recipients send.
struct FormSubmissions: Sendable {
    /// The result of a form.
    enum Outcome: Sendable {
        case accepted(HumanTask)
        /// The draft has the errors.
        case rejected(HumanTask, TaskDraft, TaskQuestion, HTTPResponse.Status)
    }

    private let tasks: TaskStore
    private let answers: TaskAnswers
    private let photos: TaskPhotos
    private let limits: PhotoLimits
    private let now: @Sendable () -> Timestamp

    init(
        tasks: TaskStore, answers: TaskAnswers, photos: TaskPhotos, limits: PhotoLimits,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.tasks = tasks
        self.answers = answers
        self.photos = photos
        self.limits = limits
        self.now = now
    }

    /// Stores the answer in a form. Valid photos are stored even if other fields have errors, so that they need not be
    /// sent again.
    ///
    /// - Parameter words: The words of the page.
    func process(_ form: MultipartForm, for id: String, _ words: PageWords) async throws -> Outcome {
        var draft = TaskDraft(form, words)
        // Read the task here, because other people may have answered while the form arrived.
        let task = try await keepPhotos(of: form, try await tasks.task(id), &draft)
        try task.checkOpen(at: now())
        let question = TaskQuestion(task.request, at: now(), takesPhotos: limits.count > 0, words)
        draft.check(against: question, photoCount: task.photoCount, maximumPhotos: limits.count)
        guard draft.problems.isEmpty else {
            return .rejected(task, draft, question, draft.isOutsider ? .badRequest : .unprocessableContent)
        }
        guard try await finish(task, draft, question) else {
            draft.report(TaskDraft.FieldName.name, Self.answeredText(draft, question))
            return .rejected(task, draft, question, .conflict)
        }
        return .accepted(task)
    }

    /// Stores the answer in one commit with its notification. Polls stay open; other tasks are completed.
    ///
    /// - Returns: `false` if the name has answered already.
    private func finish(_ task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion) async throws -> Bool {
        try await answers.tryStore(
            TaskAnswer(to: task.id, name: draft.name, data: draft.data(for: question), at: now()),
            completing: !task.request.kind.isForMany)
    }

    private static func answeredText(_ draft: TaskDraft, _ question: TaskQuestion) -> String {
        draft.words(question.names.isEmpty ? .somebodyAnswered : .nameAnswered, ["name": draft.name])
    }

    // MARK: Photos

    /// Stores as many valid photos as fit, and reports the others.
    private func keepPhotos(of form: MultipartForm, _ task: HumanTask, _ draft: inout TaskDraft) async throws
        -> HumanTask
    {
        let pictures = pictures(of: form, &draft)
        guard !pictures.isEmpty else { return task }
        let kept = try await photos.keep(pictures, of: task, isPartial: true)
        if kept.leftOut > 0 {
            let words = draft.words
            let text =
                kept.added == 0 ? words(.noMorePhotosFit) : words(.onlyMoreFit, ["count": String(kept.added)])
            draft.report(TaskDraft.FieldName.photo, text)
        }
        return kept.task
    }

    private func pictures(of form: MultipartForm, _ draft: inout TaskDraft) -> [Picture] {
        var pictures: [Picture] = []
        for part in form.photos {
            do throws(HumanTasksError) {
                pictures.append(try Picture(part.content, atMost: limits.bytes))
            } catch {
                draft.report(TaskDraft.FieldName.photo, problem(error, with: part, draft.words))
            }
        }
        return pictures
    }

    private func problem(_ error: HumanTasksError, with part: MultipartForm.Part, _ words: PageWords) -> String {
        let values = [
            "name": part.filename.map { $0.shortened(to: 60) } ?? words(.aFile), "megabytes": String(limits.megabytes),
        ]
        return words(error.status == .contentTooLarge ? .fileTooLarge : .notAPhoto, values)
    }
}
