import DocumentStore
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@testable import Functions

@Suite("Registrations for Live Activities")
struct LiveActivityRegistrationTests {
    private static let token = String(repeating: "ab", count: 80)
    private static let part: JSONValue = ["push_to_start_token": .string(token), "frequent_updates": false]

    /// Returns the call of a registration with further fields.
    private func registration(_ more: JSONObject) -> Call {
        var json: JSONObject = ["cwd": "/srv/app", "installation_id": "phone", "fcm_token": "token-1"]
        for (name, value) in more.members { json[name] = value }
        return Call(.object(json))
    }

    @Test("The part for Live Activities is stored with the device until it registers without it")
    func stored() async throws {
        let bench = try Bench()
        #expect(try await bench.register(registration(["live_activity": Self.part])).status == .ok)
        let device = Bench.device("phone")
        let stored = Value.map(["token": .string(Self.token), "frequentUpdates": .boolean(false)])
        #expect(try await bench.document(device)?["liveActivity"] == stored)
        #expect(try await bench.register(registration([:])).status == .ok)
        #expect(try await bench.document(device)?["liveActivity"] == nil)
    }

    @Test("A part in another form is refused with a code of its own, and nothing is stored")
    func refused() async throws {
        let bench = try Bench()
        let answer = try await bench.register(registration(["live_activity": ["push_to_start_token": "x"]]))
        #expect(answer.withoutMessage == .error(400, "live_activity_invalid"))
        let message = answer.body["message"]?.string ?? ""
        #expect(message.hasPrefix("live_activity.push_to_start_token must have hexadecimal digits only"))
        #expect(try await bench.documents().isEmpty)
    }

    @Test("Runs and sessions store the part too, and refuse one in another form")
    func otherSystems() async throws {
        let runs = try RunsBench()
        let sessions = try SessionsBench()
        let good = Self.part
        let bad: JSONValue = ["push_to_start_token": 1]
        for (part, isGood) in [(good, true), (bad, false)] {
            let run = try await runs.call(
                .post, "/api/devices", ["token": "token-1", "platform": "ios", "live_activity": part])
            #expect(run.status == (isGood ? .created : .badRequest))
            let session = try await sessions.call(
                .post, "/api/v1/push/register", ["push_token": "token-1", "platform": "ios", "live_activity": part])
            #expect(session.status == (isGood ? .ok : .unprocessableContent))
            guard !isGood else { continue }
            let text = JSONValue.string("live_activity.push_to_start_token must be a string")
            #expect(run.body["error"]?["message"] == text && session.body["message"] == text)
        }
        let phones = [
            try await runs.documents(in: "runDevices"), try await sessions.documents(in: "sessionPhones"),
        ]
        for documents in phones {
            #expect(documents.map { $0["liveActivity"]?.map?["token"]?.string } == [Self.token])
        }
    }
}
