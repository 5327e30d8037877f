import Foundation

/// The links to tasks and their photos.
struct TaskLinks: Sendable {
    private static let page = "/hit/"

    private let publicURL: String?
    /// The path of ``publicURL``, which a reverse proxy removes.
    private let prefix: String

    /// - Parameter publicURL: The beginning of links, without a slash at its end; `nil` for the origin of each request.
    init(publicURL: String?) {
        self.publicURL = publicURL
        prefix = publicURL.flatMap { URL(string: $0)?.path } ?? ""
    }

    /// Returns the beginning of links in the response to a request.
    func base(_ request: FunctionRequest) -> String { publicURL ?? request.origin ?? "" }

    /// Returns the link to a task's page in the response to a request.
    func url(of task: HumanTask, _ request: FunctionRequest) -> String { base(request) + Self.page + task.id }

    /// Returns the path of a task's page, with the prefix that a reverse proxy removes.
    func path(of task: HumanTask) -> String { prefix + Self.page + task.id }
}
