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

    /// `true` if the user may change something.
    var mayChange: Bool { session.role == .administrator }

    /// `true` if pages show ids with which something can be changed.
    var seesSecrets: Bool { mayChange }

    /// Returns the value of a parameter in the URL; `nil` if it is missing or empty.
    func parameter(_ name: Substring) -> String? {
        request.uri.queryParameters[name].map(String.init).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the values of the form in the body.
    ///
    /// - Throws: `PERMISSION_DENIED` unless the user may change something, and the form is one of this session.
    func form() async throws -> [String: String] {
        guard mayChange else {
            throw APIError(
                status: .forbidden, name: "PERMISSION_DENIED",
                message: "you are signed in with the token that reads only; sign in with the admin token")
        }
        let form = URLEncodedForm.values(of: try await request.boundedBody(maximumBytes: Self.maximumFormBytes))
        guard ConstantTime.equal(Array((form["key"] ?? "").utf8), Array(session.formKey.utf8)) else {
            throw APIError(
                status: .forbidden, name: "PERMISSION_DENIED",
                message: "the form is not of this session. Load the page again, and repeat what you did")
        }
        return form
    }
}
