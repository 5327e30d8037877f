internal import JSON

/// What has to hold of a message beyond its form
/// ([reference](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages)).
struct MessageRules {
    /// In canonical form.
    let message: JSONValue
    private(set) var violations: [InvalidRequest.Violation] = []

    init(message: JSONValue) { self.message = message }

    /// Checks everything but whom it goes to.
    mutating func checkContent() {
        checkData()
        checkAPNs()
        checkAndroid()
        checkWebpush()
        checkAnalyticsLabels()
    }

    /// - Parameter field: its path below the message, by the schema's names; empty for the message itself.
    mutating func report(_ field: String, _ description: String) {
        let path = field.isEmpty ? "message" : "message.\(field)"
        violations.append(InvalidRequest.Violation(field: path, description: description))
    }

    /// A text below the message; nil when it is empty, which to protocol buffers is the same as absent.
    func text(_ path: String...) -> String? {
        let text = path.reduce(message as JSONValue?) { $0?[$1] }?.string
        return text?.isEmpty == true ? nil : text
    }
}
