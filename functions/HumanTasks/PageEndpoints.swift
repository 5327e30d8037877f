import DocumentStore
import HTTPTypes
import Logging

/// The recipient's page. It needs no protection against cross-site requests, because the link is the only credential
/// and browsers add no other.
struct PageEndpoints: Sendable {
    private let tasks: TaskStore
    private let answers: TaskAnswers
    private let submissions: FormSubmissions
    private let uploads: PhotoUploads
    private let limits: PhotoLimits
    private let access: TaskAccess
    private let links: TaskLinks
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    init(
        tasks: TaskStore, answers: TaskAnswers, submissions: FormSubmissions, uploads: PhotoUploads,
        limits: PhotoLimits, access: TaskAccess, links: TaskLinks, now: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.tasks = tasks
        self.answers = answers
        self.submissions = submissions
        self.uploads = uploads
        self.limits = limits
        self.access = access
        self.links = links
        self.now = now
        self.logger = logger
    }

    /// The endpoints, whose errors are pages.
    var group: EndpointGroup<HumanTasksError> {
        EndpointGroup(
            HumanTasks.source, HumanTasksError.self, logger: logger,
            respond: { error, request in await page(for: error, request).response })
    }

    // MARK: Showing

    /// Shows the page. A visit starts the task, except by programs that fetch a preview of the link.
    @Sendable func show(_ request: FunctionRequest) async throws -> FunctionResponse {
        var task = try await access.task(of: request)
        if request.method == .get, !LinkPreview.isOne(request.headerFields) { task = try await tasks.start(task) }
        if request.query["thanks"] != nil, task.answerCount > 0 || task.isCompleted {
            return TaskPage.thanks(task, request.words).response
        }
        try task.checkOpen(at: now())
        let question = TaskQuestion(task.request, at: now(), takesPhotos: limits.count > 0, request.words)
        let hasAnswered = AnswerMark.isIn(request, of: task)
        let draft = TaskDraft(name: task.request.recipient, request.words)
        return try await form(of: task, draft, question, hasAnswered: hasAnswered).response
    }

    /// Redirects to the task, if the page of a rejected form is reloaded.
    @Sendable func leadBack(_ request: FunctionRequest) async throws -> FunctionResponse {
        Self.seeOther(links.path(of: try await access.task(of: request)))
    }

    /// Returns the page with the form, and with the answers so far if the page shows them.
    private func form(
        of task: HumanTask, _ draft: TaskDraft, _ question: TaskQuestion, hasAnswered: Bool = false,
        status: HTTPResponse.Status = .ok
    ) async throws -> TaskPage {
        let answers = task.request.kind.isForParticipants ? try await answers.all(to: task) : []
        return TaskPage.form(
            task, draft, question, PollTally(answers), action: links.path(of: task) + "/answer", photos: limits,
            hasAnswered: hasAnswered, status: status)
    }

    private static func seeOther(_ path: String, _ more: HTTPFields = [:]) -> FunctionResponse {
        var headerFields: HTTPFields = [.location: path, .cacheControl: "no-store"]
        headerFields.append(contentsOf: more)
        return FunctionResponse(status: .seeOther, headerFields: headerFields, content: .none)
    }

    // MARK: Answering

    /// Takes an answer. The body of a form for a task that is not open is not read.
    @Sendable func takeForm(_ request: FunctionRequest) async throws -> FunctionResponse {
        let id = try await access.openTask(of: request).id
        return try await uploads.receiving(request) { body in
            switch try await submissions.process(try body.form(), for: id, request.words) {
            case .accepted(let task):
                let path = links.path(of: task)
                return Self.seeOther(path + "?thanks=1", [.setCookie: AnswerMark.cookie(at: path, request)])
            case .rejected(let task, let draft, let question, let status):
                return try await form(of: task, draft, question, status: status).response
            }
        }
    }

    // MARK: Errors

    private func page(for error: HumanTasksError, _ request: FunctionRequest) async -> TaskPage {
        let words = request.words
        switch error {
        case .taskNotFound: return .notFound(words)
        case .completed, .expired:
            guard let task = try? await access.task(of: request) else { return .notFound(words) }
            return error == .expired ? .expired(task.request.asker, words) : .completed(words)
        case .tooManyAnswers: return .full(words)
        case .tooManyPhotos(limits.count): return .tooMany(limits.count, words)
        case .tooLarge: return .tooLarge(uploads.maximumBytes / (1024 * 1024), words)
        case .unavailable, .noRoom: return .unavailable(words)
        case .internalError: return .failed(words)
        default: return .broken(error.status, words)
        }
    }
}

extension FunctionRequest {
    /// The words of the page in the language that the browser prefers.
    fileprivate var words: PageWords { PageWords(PageLanguage(accepting: headerFields[.acceptLanguage])) }
}
