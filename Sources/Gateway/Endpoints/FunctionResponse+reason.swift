import Functions
import HTTPTypes
import JSON

extension FunctionResponse {
    /// The reason of a refusal, in the form of any system: `{"error":"CODE"}`, also with `message`,
    /// `{"error":{"code":"CODE","message":"TEXT"}}`, or a text.
    var reason: String {
        switch content {
        case .json(let body):
            let error = body["error"]
            let parts = [error?.string, error?["code"]?.string, error?["message"]?.string, body["message"]?.string]
            let texts = parts.compactMap(\.self)
            return texts.isEmpty ? status.reasonPhrase : texts.joined(separator: ": ")
        case .text(let text): return String(text.prefix { !$0.isNewline })
        case .none, .html, .bytes, .file: return status.reasonPhrase
        }
    }
}
