import Cryptography
import HTTPTypes
import Hummingbird
import RequestRules
import Server

/// A request of a user who is signed in.
struct ConsoleVisit: Sendable {
    private static let maximumFormBytes = 2 << 20

    let request: Request
    let context: GatewayRequestContext
    let session: ConsoleSessions.Session
    /// The values of the form in the body; empty for a request without one.
    var values: [String: String] = [:]
    /// `true` if the form was refused, and its page is shown again.
    var isRefused = false

    /// `true` if the user may change something.
    var mayChange: Bool { session.role == .administrator }

    /// `true` if pages show ids with which something can be changed.
    var seesSecrets: Bool { mayChange }

    /// The origin that the page was loaded from.
    var origin: String {
        let authority = request.head.authority.flatMap { Authority($0) }
        return (request.isOverTLS ? "https://" : "http://") + (authority.map { "\($0)" } ?? "localhost")
    }

    /// Returns the value of a parameter in the URL; `nil` if it is missing or empty.
    func parameter(_ name: Substring) -> String? {
        request.uri.queryParameters[name].map(String.init).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the entry in a field of the form that was refused; `nil` for any other request.
    ///
    /// - Parameter action: The form's `action`, if its page has several; `nil` for any.
    func entered(_ name: String, action: String? = nil) -> String? {
        guard isRefused, action == nil || action == values["action"] else { return nil }
        return values[name]
    }

    /// Reads the form in the body.
    func readForm() async throws -> [String: String] {
        URLEncodedForm.values(of: try await request.boundedBody(maximumBytes: Self.maximumFormBytes))
    }

    /// `true` if the form is one of this session.
    var hasFormKey: Bool { ConstantTime.equal(Array((values["key"] ?? "").utf8), Array(session.formKey.utf8)) }

    /// Returns the values of the form.
    ///
    /// - Throws: `PERMISSION_DENIED` unless the user may change something, and the form is one of this session.
    func form() throws(APIError) -> [String: String] {
        guard mayChange else {
            throw APIError(
                status: .forbidden, name: "PERMISSION_DENIED",
                message: "you are signed in with the token that reads only; sign in with the admin token")
        }
        guard hasFormKey else {
            throw APIError(
                status: .forbidden, name: "PERMISSION_DENIED",
                message: "the form is not of this session. Load the page again, and repeat what you did")
        }
        return values
    }
}
