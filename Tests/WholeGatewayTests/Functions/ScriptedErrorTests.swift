import JSON
import TestSupport
import Testing

@Suite("Scripted errors of the emulated push service in the counts of functions", .timeLimit(.minutes(10)))
struct ScriptedErrorTests {
    @Test(
        "A scripted error is counted under its own code, and only UNREGISTERED removes the registration",
        arguments: [
            ("INVALID_ARGUMENT", "messaging/invalid-argument", 0),
            ("SENDER_ID_MISMATCH", "messaging/mismatched-credential", 0),
            ("UNREGISTERED", "messaging/registration-token-not-registered", 1),
        ] as [(String, String, Int64)])
    func codes(code: String, key: String, pruned: Int64) async throws {
        try await withGateway { gateway in
            #expect(try await gateway.script(["errorCode": .string(code)]).status == 200)
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            let answer = try await daemon.trigger().body
            #expect(answer["errors"] == .object(JSONObject([(key, 1)])) && answer["pruned"] == .integer(pruned))
        }
    }
}
