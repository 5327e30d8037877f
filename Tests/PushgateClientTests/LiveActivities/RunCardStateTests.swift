import Foundation
import PushgateClient
import Testing

@Suite("The state of a run's card")
struct RunCardStateTests {
    private func decode(_ json: String) throws -> RunCardState {
        // The system decodes content without strategies.
        try JSONDecoder().decode(RunCardState.self, from: Data(json.utf8))
    }

    @Test("The content that a gateway sends is decoded as the system does it, with unknown members")
    func decodes() throws {
        let state = try decode(
            #"""
            {"state":"waiting","step":"Tests","percentage":40,"text":"Push to main?","started_at":1800000000,
             "updated_at":1800000060,"approval":{"id":"a-1","expires_at":1800000660,"more":1},"more":{}}
            """#)
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let approval = RunCardState.Approval(id: "a-1", expiry: start.addingTimeInterval(660))
        #expect(
            state
                == RunCardState(
                    phase: .waiting, step: "Tests", percentage: 40, text: "Push to main?", approval: approval,
                    start: start, update: start.addingTimeInterval(60)))
        #expect(state.start == start && state.update == start.addingTimeInterval(60))
        #expect(state.fraction == 0.4 && !state.phase.isEnd)
    }

    @Test("Only the state and the times are required, and an unknown state is kept")
    func least() throws {
        let state = try decode(#"{"state":"paused","started_at":1,"updated_at":2}"#)
        #expect(state.phase.rawValue == "paused" && !state.phase.isEnd)
        #expect(state.step == nil && state.percentage == nil && state.text == nil && state.approval == nil)
        #expect(state.fraction == nil && state.question(at: .distantPast) == nil)
        for json in ["{}", #"{"state":"running","started_at":1}"#, #"{"started_at":1,"updated_at":2}"#] {
            #expect(throws: DecodingError.self) { try decode(json) }
        }
    }

    @Test("A state is encoded in the form in which it is decoded")
    func encodes() throws {
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        let state = RunCardState(
            phase: .running, step: "Build", percentage: 7,
            approval: RunCardState.Approval(id: "a-1", expiry: time.addingTimeInterval(60)), start: time, update: time)
        let data = try JSONEncoder().encode(state)
        #expect(try JSONDecoder().decode(RunCardState.self, from: data) == state)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""started_at":1800000000"#) && text.contains(#""expires_at":1800000060"#))
        #expect(!text.contains("null"))
    }

    @Test("A question has buttons until it expires")
    func question() {
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        let approval = RunCardState.Approval(id: "a-1", expiry: time)
        let state = RunCardState(phase: .waiting, approval: approval, start: time, update: time)
        #expect(state.question(at: time.addingTimeInterval(-1)) == approval)
        #expect(state.question(at: time) == nil)
    }

    @Test("The end of a run is one of three states, and the fraction stays within 0 and 1")
    func ends() throws {
        for (word, isEnd) in [
            ("running", false), ("waiting", false), ("finished", true), ("failed", true), ("cancelled", true),
        ] {
            #expect(RunCardState.Phase(rawValue: word).isEnd == isEnd)
        }
        for (percentage, fraction) in [(-5, 0), (0, 0), (100, 1), (140, 1)] as [(Int, Double)] {
            let time = Date(timeIntervalSince1970: 0)
            let state = RunCardState(phase: .running, percentage: percentage, start: time, update: time)
            #expect(state.fraction == fraction)
        }
    }
}
