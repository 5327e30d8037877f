import Console
import Hummingbird
import JSON
import RequestRules
import Server

/// The endpoint `POST /v1/diagnoses`, which answers why notifications do not arrive. It requires the admin token, and
/// changes nothing: the question is in the body, because it may be a device's token, and URLs are logged.
///
/// The body is `{"of"}`, as ``Diagnoses/diagnosis(of:)`` takes it. The response is the diagnosis.
struct DiagnosisEndpoint: Sendable {
    let diagnoses: Diagnoses

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.post("/v1/diagnoses") { request, _ in
            let question = try Self.question(try await request.jsonBody())
            return Response(json: try await diagnoses.diagnosis(of: question).json)
        }
    }

    private static func question(_ body: JSONValue) throws(APIError) -> String {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { $0 != "of" }) {
            throw .invalidArgument("“\(unknown)” is not a member of a question; its only member is of")
        }
        guard let text = body["of"]?.string, !text.isEmpty else {
            throw .invalidArgument(
                "“of” is missing: give the path or the id of a registration, a token, or an agent's path, directory or "
                    + "name")
        }
        return text
    }
}
