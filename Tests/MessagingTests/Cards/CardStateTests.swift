import JSON
import Testing

@testable import Messaging

@Suite("The state of a card")
struct CardStateTests {
    private let start: Int64 = 1_800_000_000

    private func card(_ progress: CardProgress = CardProgress()) throws -> CardState {
        try #require(CardState(startedBy: .started(progress), at: start))
    }

    private func approval(_ id: String, _ text: String? = nil) -> CardApproval {
        CardApproval(id: id, expiresAt: start + 600, text: text)
    }

    // MARK: From start to end

    @Test("A run that starts, goes on, needs an approval and ends is shown by the content of its card")
    func life() throws {
        var card = try card(CardProgress(step: "Plan", text: "Reading the code"))
        #expect(
            card.content == [
                "state": "running", "step": "Plan", "text": "Reading the code", "started_at": 1_800_000_000,
                "updated_at": 1_800_000_000,
            ])
        #expect(card.take(.progress(CardProgress(percentage: 40)), at: start + 5) == .update(isUrgent: false))
        #expect(card.content["percentage"] == 40 && card.content["step"] == "Plan")
        #expect(card.content["updated_at"] == 1_800_000_005)
        let asked = card.take(.approvalNeeded(approval("a-1", "Run the tests?")), at: start + 6)
        #expect(asked == .update(isUrgent: true))
        #expect(
            card.texts == [
                "state": "waiting", "step": "Plan", "percentage": "40", "text": "Run the tests?",
                "approval_id": "a-1", "approval_expires_at": "1800000600", "started_at": "1800000000",
                "updated_at": "1800000006",
            ])
        #expect(card.content["state"] == "waiting" && card.content["text"] == "Run the tests?")
        #expect(card.content["approval"] == ["id": "a-1", "expires_at": .integer(start + 600)])
        #expect(card.take(.approvalClosed(id: "a-1", text: "Approved"), at: start + 7) == .update(isUrgent: false))
        #expect(card.content["state"] == "running" && card.content["approval"] == nil)
        #expect(card.take(.ended(.finished, text: "12 files changed"), at: start + 8) == .end)
        #expect(
            card.content == [
                "state": "finished", "step": "Plan", "percentage": 100, "text": "12 files changed",
                "started_at": 1_800_000_000, "updated_at": 1_800_000_008,
            ])
    }

    @Test("Only progress, and the need of an approval, start a card")
    func starts() throws {
        let asked = try #require(CardState(startedBy: .approvalNeeded(approval("a-1")), at: start))
        #expect(asked.phase == .waiting && asked.approvals.map(\.id) == ["a-1"])
        #expect(try card().phase == .running)
        #expect(CardState(startedBy: .ended(.failed, text: nil), at: start) == nil)
        #expect(CardState(startedBy: .approvalClosed(id: "a-1", text: nil), at: start) == nil)
    }

    @Test(
        "Each result of a run is a state of its card, and nothing changes an ended card",
        arguments: CardResult.allCases)
    func results(result: CardResult) throws {
        var card = try card()
        #expect(card.take(.ended(result, text: nil), at: start) == .end)
        #expect(card.content["state"] == .string(result.rawValue) && card.phase.isEnd)
        let ended = card
        let events: [CardEvent] = [
            .started(CardProgress(text: "again")), .progress(CardProgress(percentage: 1)),
            .approvalNeeded(approval("a-1")), .approvalClosed(id: "a-1", text: nil),
            .ended(.finished, text: "again"),
        ]
        for event in events { #expect(card.take(event, at: start + 3_600) == nil) }
        #expect(card == ended)
    }

    // MARK: Somebody is needed

    @Test("A push is urgent when somebody is newly needed, and at no other update")
    func urgency() throws {
        var card = try card()
        let waits = CardEvent.progress(CardProgress(isWaiting: true, text: "Which branch?"))
        #expect(card.take(waits, at: start) == .update(isUrgent: true))
        let still = CardEvent.progress(CardProgress(isWaiting: true, text: "Which branch, please?"))
        #expect(card.take(still, at: start) == .update(isUrgent: false))
        #expect(card.take(.approvalNeeded(approval("a-1")), at: start) == .update(isUrgent: true))
        #expect(card.take(.approvalNeeded(approval("a-2")), at: start) == .update(isUrgent: true))
        #expect(card.take(.progress(CardProgress(step: "Wait")), at: start) == .update(isUrgent: false))
        #expect(card.phase == .waiting)
        #expect(card.take(.approvalClosed(id: "a-2", text: nil), at: start) == .update(isUrgent: false))
        #expect(card.content["approval"]?["id"] == "a-1")
        #expect(card.take(.approvalClosed(id: "a-1", text: nil), at: start) == .update(isUrgent: false))
        #expect(card.phase == .running)
    }

    @Test("The text of a wait leaves the card when the run goes on")
    func answered() throws {
        var card = try card()
        _ = card.take(.progress(CardProgress(isWaiting: true, text: "Which branch?")), at: start)
        _ = card.take(.progress(CardProgress(step: "Build")), at: start)
        #expect(card.phase == .running && card.text == nil && card.step == "Build")
        _ = card.take(.progress(CardProgress(text: "swift build")), at: start)
        _ = card.take(.progress(CardProgress(percentage: 40)), at: start)
        #expect(card.text == "swift build")
    }

    @Test("Of many open approvals a card shows the newest, and remembers eight")
    func manyApprovals() throws {
        var card = try card()
        for number in 1...10 { _ = card.take(.approvalNeeded(approval("a-\(number)")), at: start) }
        #expect(card.content["approval"]?["id"] == "a-10")
        #expect(card.approvals.map(\.id) == (3...10).map { "a-\($0)" })
    }

    @Test("The line of a card is the question whose buttons it shows, also after another one was decided")
    func questions() throws {
        var card = try card(CardProgress(text: "Building"))
        _ = card.take(.approvalNeeded(approval("a-1", "Run the tests?")), at: start)
        _ = card.take(.approvalNeeded(approval("a-2", "Push to main?")), at: start)
        #expect(card.take(.progress(CardProgress(text: "Testing")), at: start) == .unseen)
        #expect(card.content["text"] == "Push to main?")
        _ = card.take(.approvalClosed(id: "a-2", text: "Approved"), at: start)
        #expect(card.content["text"] == "Run the tests?" && card.content["approval"]?["id"] == "a-1")
        #expect(card.summary == "Needs you · Run the tests?")
        _ = card.take(.approvalClosed(id: "a-1", text: "Denied"), at: start)
        #expect(card.content["text"] == "Denied" && card.phase == .running)
    }

    // MARK: Order

    @Test("Progress with a lower position than the last has no effect; one without a position counts as it comes")
    func order() throws {
        var card = try card(CardProgress(text: "1", sequence: 1))
        #expect(card.take(.progress(CardProgress(text: "3", sequence: 3)), at: start) == .update(isUrgent: false))
        #expect(card.take(.progress(CardProgress(text: "2", sequence: 2)), at: start + 600) == nil)
        #expect(card.take(.started(CardProgress(text: "0", sequence: 0)), at: start + 600) == nil)
        #expect(card.text == "3" && card.updatedAt == start)
        #expect(card.take(.progress(CardProgress(text: "3", sequence: 5)), at: start) == .unseen)
        #expect(card.take(.progress(CardProgress(text: "4", sequence: 4)), at: start) == nil)
        #expect(card.take(.progress(CardProgress(text: "x")), at: start) == .update(isUrgent: false))
        #expect(card.sequence == 5)
        #expect(card.take(.ended(.finished, text: nil), at: start) == .end)
    }

    // MARK: No push

    @Test("An event that changes nothing leads to no push, but progress is repeated once a minute")
    func unchanged() throws {
        var card = try card(CardProgress(text: "Building"))
        let same = CardEvent.progress(CardProgress(text: "Building"))
        #expect(card.take(same, at: start + 59) == nil && card.updatedAt == start)
        #expect(card.take(same, at: start + 60) == .update(isUrgent: false) && card.updatedAt == start + 60)
        #expect(card.take(.approvalClosed(id: "a-1", text: "Approved"), at: start + 600) == nil)
        _ = card.take(.approvalNeeded(approval("a-1", "Push?")), at: start + 600)
        #expect(card.take(.approvalNeeded(approval("a-1", "Push?")), at: start + 900) == nil)
    }

    @Test("The time of the content does not go back with the clock, because a phone ignores older content")
    func clockSetBack() throws {
        var card = try card()
        #expect(card.take(.progress(CardProgress(text: "Building")), at: start - 300) == .update(isUrgent: false))
        #expect(card.updatedAt == start)
    }

    // MARK: Dates

    @Test("Content is out of date after a time without news, or when its approval expires, and never at the end")
    func staleDates() throws {
        var card = try card()
        #expect(card.staleDate(after: 900) == start + 900 && card.relevanceScore == 50)
        _ = card.take(.progress(CardProgress(isWaiting: true)), at: start)
        #expect(card.staleDate(after: 900) == nil && card.relevanceScore == 100)
        _ = card.take(.approvalNeeded(approval("a-1")), at: start)
        #expect(card.staleDate(after: 900) == start + 600)
        _ = card.take(.ended(.cancelled, text: nil), at: start)
        #expect(card.staleDate(after: 900) == nil)
    }

    @Test("The state in one line has the state, the step, the progress and the text, as far as they are known")
    func summaries() throws {
        var card = try card()
        #expect(card.summary == "Running")
        _ = card.take(.progress(CardProgress(step: "Build", percentage: 40, text: "swift build")), at: start)
        #expect(card.summary == "Build · 40 % · swift build")
        _ = card.take(.approvalNeeded(approval("a-1", "Push to main?")), at: start)
        #expect(card.summary == "Needs you · Build · 40 % · Push to main?")
        _ = card.take(.ended(.finished, text: nil), at: start)
        #expect(card.summary == "Finished · 100 %")
    }
}
