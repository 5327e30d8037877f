import HTTPTypes

/// The mark in a browser that it has answered a task. Polls stay open, and their page then says so. It is sent to the
/// task's page alone, has no id in it, and gives no rights.
enum AnswerMark {
    private static let name = "answered"
    /// Tasks do not live longer.
    private static let maximumAge = 30 * 24 * 60 * 60

    /// Returns the value of `Set-Cookie`.
    ///
    /// - Parameter path: The path of the task's page.
    static func cookie(at path: String, _ request: FunctionRequest) -> String {
        let isOverTLS = request.origin?.hasPrefix("https:") ?? false
        return "\(name)=1; Path=\(path); Max-Age=\(maximumAge); HttpOnly; SameSite=Lax\(isOverTLS ? "; Secure" : "")"
    }

    /// Returns `true` for a request of a browser that has answered, if others can still answer.
    static func isIn(_ request: FunctionRequest, of task: HumanTask) -> Bool {
        guard task.answerCount > 0 else { return false }
        return (request.headerFields[.cookie] ?? "").split(separator: ";")
            .contains { $0.filter { $0 != " " } == "\(name)=1" }
    }
}
