import Emulator
import Hummingbird
import JSON
import Messaging
import RequestRules
import Server
import Settings

/// The endpoints for the scripted answers of the emulated push service. They require the admin token.
///
/// - `GET /emulator/v1/scripts` lists the scripts.
/// - `POST /emulator/v1/scripts` with `{"token"?, "errorCode"?, "times"?, "delay"?}` adds one. Without a token, it
///   applies to every message; without times, until the next reset; without an error code, it only delays.
/// - `DELETE /emulator/v1/scripts` removes all scripts.
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
            throw .invalidArgument(
                "“\(unknown)” is not a member of a script; the members are token, errorCode, times and delay")
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
            throw .invalidArgument("delay must be a duration like 500ms or 2s, at most a minute")
        }
        guard body["token"] == nil || body["token"]?.string?.isEmpty == false else {
            throw .invalidArgument("token must be a registration token; leave it out to match all")
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
