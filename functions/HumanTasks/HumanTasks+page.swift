import Foundation
import HTTPTypes

/// The recipient's page. It needs no protection against cross-site requests, because the link is the only credential
/// and browsers add no other.
extension HumanTasks {
    var pageEndpoints: [Endpoint] {
        [
            page(.get, "/hit/{hit}", showPage), page(.post, "/hit/{hit}/answer", takeForm),
            page(.get, "/hit/{hit}/answer", leadBack),
        ]
    }

    var pageFallback: Fallback {
        Fallback(below: ["/hit"], handle: page(.get, "/hit") { _ in throw HumanTasksError.taskNotFound }.handle)
    }

    private func page(
        _ method: HTTPRequest.Method, _ path: PathPattern,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint {
        Endpoint(method, path) { request in
            do {
                return try await work(request)
            } catch {
                return await page(for: HumanTasksError.mapAndReport(error, in: "humantasks", logger), request).response
            }
        }
    }

    private func page(for error: HumanTasksError, _ request: FunctionRequest) async -> TaskPage {
        switch error {
        case .taskNotFound: return .notFound
        case .completed, .expired:
            guard let task = try? await task(of: request) else { return .notFound }
            return error == .expired ? .expired(task.request.asker) : .completed
        case .tooManyResponses: return .full
        case .tooManyPhotos(settings.maximumPhotos): return .tooMany(settings.maximumPhotos)
        case .tooLarge: return .tooLarge(settings.maximumUploadBytes / (1024 * 1024))
        case .unavailable, .noRoom: return .unavailable
        case .internalError: return .failed
        default: return .broken(error.status)
        }
    }

    // MARK: Showing

    /// Shows the page. A visit starts the task, except by programs that fetch a preview of the link.
    @Sendable private func showPage(_ request: FunctionRequest) async throws -> FunctionResponse {
        let isLooking = request.method == .get && !LinkPreview.isOne(request.headerFields)
        let task = try await opened(try await task(of: request), isLooking: isLooking)
        if request.query["thanks"] != nil, task.responseCount > 0 || task.completedAt != nil {
            return TaskPage.thanks(task).response
        }
        try task.checkOpen(at: now())
        return try await form(task, TaskDraft(name: task.request.recipient), question(of: task)).response
    }

    /// Redirects to the task, if the page of a rejected form is reloaded.
    @Sendable private func leadBack(_ request: FunctionRequest) async throws -> FunctionResponse {
        seeOther(path(of: try await task(of: request)))
    }

    private func question(of task: HumanTask) -> TaskQuestion {
        TaskQuestion(task.request, at: now(), takesPhotos: settings.maximumPhotos > 0)
    }

    /// Returns the page with the form, and with the answers so far if the page shows them.
    private func form(
        _ task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion, status: HTTPResponse.Status = .ok
    ) async throws -> TaskPage {
        let responses = task.request.kind.isForParticipants ? try await responses(to: task) : []
        return TaskPage.form(
            task, draft, question, PollTally(responses), action: path(of: task) + "/answer",
            photos: TaskPage.PhotoLimits(settings),
            status: status)
    }

    /// Returns the path of the page, with the prefix that a reverse proxy removes.
    private func path(of task: HumanTask) -> String {
        let prefix = settings.publicURL.flatMap { URL(string: $0)?.path } ?? ""
        return "\(prefix)/hit/\(task.id)"
    }

    private func seeOther(_ path: String) -> FunctionResponse {
        FunctionResponse(
            status: .seeOther, headerFields: [.location: path, .cacheControl: "no-store"], content: .none)
    }

    // MARK: Answering

    /// Processes the form. Valid photos are stored even if other fields have errors, so that they need not be sent
    /// again.
    @Sendable private func takeForm(_ request: FunctionRequest) async throws -> FunctionResponse {
        try await task(of: request).checkOpen(at: now())
        return try await receiving(request) { body in
            let form = try form(body, request)
            var draft = TaskDraft(form)
            // Read the task again, because other people may have answered in the meantime.
            let task = try await keepPhotos(of: form, try await task(of: request), &draft)
            try task.checkOpen(at: now())
            let question = question(of: task)
            draft.check(
                against: question, photoCount: task.photoCount, maximumPhotos: settings.maximumPhotos)
            guard draft.problems.isEmpty else {
                let status = draft.isOutsider ? HTTPResponse.Status.badRequest : .unprocessableContent
                return try await self.form(task, draft, question, status: status).response
            }
            guard try await finish(task, draft, question) else {
                draft.problems = [(TaskDraft.FieldName.name, Self.answeredText(draft.name, question))]
                return try await self.form(task, draft, question, status: .conflict).response
            }
            return seeOther(path(of: task) + "?thanks=1")
        }
    }

    private static func answeredText(_ name: String, _ question: TaskQuestion) -> String {
        guard question.names.isEmpty else { return "\(name) has answered already." }
        return
            "Somebody called \(name) has answered already. If that was you, all is done; if not, add a letter of your last "
            + "name."
    }

    private func keepPhotos(of form: MultipartForm, _ task: HumanTask, _ draft: inout TaskDraft) async throws
        -> HumanTask
    {
        var pictures: [Picture] = []
        for part in form.parts where part.name == TaskDraft.FieldName.photo && !part.isUnchosen {
            do throws(HumanTasksError) {
                pictures.append(try Picture(part.content, atMost: settings.maximumPhotoBytes))
            } catch {
                draft.problems.append((part.name, problem(error, with: part)))
            }
        }
        guard !pictures.isEmpty else { return task }
        let kept = try await store(pictures, of: task, isPartial: true)
        if kept.leftOut > 0 {
            let text =
                kept.added == 0 ? "No more photos fit." : "Only \(kept.added) more fit: the others were left out."
            draft.problems.append((TaskDraft.FieldName.photo, text))
        }
        return kept.task
    }

    private func problem(_ error: HumanTasksError, with part: MultipartForm.Part) -> String {
        let name = part.filename.map { $0.shortened(to: 60) } ?? "A file"
        let limit = TaskPage.PhotoLimits(settings).megabytes
        return error.status == .contentTooLarge
            ? "\(name) is larger than \(limit) MB. Choose a smaller one."
            : "\(name) is not a photo that can be taken. Choose a JPEG, PNG, GIF, WebP or HEIC."
    }

    /// Stores the answer in one commit with its notification. Polls stay open; other tasks are completed.
    ///
    /// - Returns: `false` if the name has answered already.
    private func finish(_ task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion) async throws -> Bool {
        try await store(
            TaskAnswer(to: task.id, name: draft.name, data: draft.data(for: question), at: now()),
            completing: !task.request.kind.isForMany)
    }
}

extension TaskPage.PhotoLimits {
    fileprivate init(_ settings: HumanTasksSettings) {
        count = settings.maximumPhotos
        bytes = settings.maximumPhotoBytes
        totalBytes = settings.maximumPhotosAtOnceBytes
    }
}
