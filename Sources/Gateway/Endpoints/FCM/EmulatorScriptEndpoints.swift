internal import Hummingbird
internal import JSON
internal import Messaging

/// What the emulated push service is told to answer, under the admin token.
///
/// - `GET /emulator/v1/scripts`
/// - `POST /emulator/v1/scripts` `{"token"?, "errorCode"?, "times"?, "delay"?}`: without a token for every message, without
///   times until it is reset, without an error code only the delay
/// - `DELETE /emulator/v1/scripts` forgets them all
struct EmulatorScriptEndpoints: Sendable {
    private static let members: Set<String> = ["token", "errorCode", "times", "delay"]
    private static let maximumDelay = Duration.seconds(60)

    let scripts: EmulatorScripts

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/emulator/v1/scripts") { _, _ in list() }
        router.post("/emulator/v1/scripts") { request, _ in
            scripts.add(try script(try await request.jsonBody()))
            return list()
        }
        router.delete("/emulator/v1/scripts") { _, _ in
            scripts.reset()
            return list()
        }
    }

    private func list() -> Response { Response(json: ["scripts": .array(scripts.all.map(\.json))]) }

    private func script(_ body: JSONValue) throws(APIError) -> EmulatorScripts.Script {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { !Self.members.contains($0) }) {
            throw .invalidArgument("“\(unknown)” is no member of a script; there are token, errorCode, times and delay")
        }
        let code = body["errorCode"]?.string.flatMap(FCMErrorCode.init)
        guard code != nil || body["errorCode"] == nil else {
            let codes = FCMErrorCode.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidArgument("errorCode must be one of \(codes)")
        }
        let times = body["times"]?.integer
        guard body["times"] == nil || times.map({ (1...1_000_000).contains($0) }) == true else {
            throw .invalidArgument("times must be a whole number from 1 to 1000000")
        }
        let delay = body["delay"]?.string.flatMap(DurationText.duration)
        guard body["delay"] == nil || delay.map({ $0 <= Self.maximumDelay }) == true else {
            throw .invalidArgument("delay must be a duration like 500ms or 2s, a minute at the most")
        }
        guard body["token"] == nil || body["token"]?.string?.isEmpty == false else {
            throw .invalidArgument("token must be a registration token; leave it out for all")
        }
        return EmulatorScripts.Script(
            token: body["token"]?.string.map { RegistrationToken($0) }, error: code?.code, times: times.map { Int($0) },
            delay: delay ?? .zero)
    }
}

extension EmulatorScripts.Script {
    fileprivate var json: JSONValue {
        var object: JSONObject = [:]
        object["token"] = token.map { .string($0.description) }
        object["errorCode"] = error.map { .string(FCMErrorCode($0).rawValue) }
        object["times"] = times.map { .integer(Int64($0)) }
        if delay > .zero { object["delay"] = .string("\(delay / .seconds(1))s") }
        return .object(object)
    }
}
