import Functions
import HTTPTypes
import Hummingbird
import Server

/// The responder of `http.redirectPort`, which leads browsers to the HTTPS port, answers the challenges of certificate
/// authorities, and nothing else.
struct RedirectResponder: HTTPResponder {
    typealias Context = GatewayRequestContext

    let certificates: CertificateFiles
    let challenges: ChallengeAnswers
    /// The URL of the HTTPS port, of which the port counts.
    let https: ListeningAddress

    func respond(to request: Request, context: GatewayRequestContext) async throws -> Response {
        if let answer = challenges.answer(to: request) { return answer }
        guard let origin = await origin(of: request) else {
            return try APIError(
                status: .misdirectedRequest, name: "INVALID_ARGUMENT",
                message: "this gateway has no certificate for the name of this request's Host"
            ).response(from: request, context: context)
        }
        guard request.method == .get || request.method == .head else {
            return try APIError(
                status: .forbidden, name: "PERMISSION_DENIED",
                message: "send this to \(origin) instead. What was sent here could be read on the way: if it contained "
                    + "a token or a secret, replace that"
            ).response(from: request, context: context)
        }
        // What is not a path could continue the name of the host.
        let target = context.target.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/"
        return Response(
            status: .permanentRedirect, headers: [.location: origin + target, .cacheControl: "no-store"])
    }

    /// Returns the beginning of a URL of the HTTPS port; `nil` if no certificate is for the request's host.
    private func origin(of request: Request) async -> String? {
        let host = request.head.authority.flatMap { Authority($0)?.host } ?? ""
        guard certificates.covers(host), let url = await https.url else { return nil }
        let port = url.split(separator: ":").last.flatMap { Int($0) } ?? 443
        return "https://\(host)" + (port == 443 ? "" : ":\(port)")
    }
}
