import ACME
import HTTPTypes
import Hummingbird
import Synchronization

/// The answers to the challenges of a certificate authority (RFC 8555 §8.3), on `http.redirectPort`.
final class ChallengeAnswers: ChallengeResponder {
    private static let path = "/.well-known/acme-challenge/"

    private let texts = Mutex<[String: String]>([:])

    func publish(_ token: String, _ text: String) { texts.withLock { $0[token] = text } }

    func withdraw(_ token: String) { texts.withLock { $0[token] = nil } }

    /// Returns the response to a request for a token; `nil` if the request is for something else.
    func answer(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head, request.uri.path.hasPrefix(Self.path) else {
            return nil
        }
        let token = request.uri.path.dropFirst(Self.path.count)
        guard let text = texts.withLock({ $0[String(token)] }) else {
            return Self.response(.notFound, "no certificate is being obtained with this token\n")
        }
        return Self.response(.ok, text)
    }

    private static func response(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/octet-stream", .contentLength: "\(text.utf8.count)"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
