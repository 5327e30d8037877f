import DocumentStore
import Testing

@testable import Functions

@Suite("Agents whose devices show no cards")
struct UnshownAgentsTests {
    private let time = Timestamp(microseconds: 1_800_000_000_000_000)

    @Test("An agent is remembered for ten seconds, also after the clock was set back, until a device registers")
    func memory() throws {
        let (one, other) = (try DocumentPath("agents/1"), try DocumentPath("agents/2"))
        let agents = UnshownAgents()
        for agent in [one, other] { agents.insert(agent, at: time, since: agents.changes) }
        #expect(agents.contains(one, at: time) && agents.contains(one, at: time.adding(.seconds(9))))
        #expect(!agents.contains(one, at: time.adding(.seconds(10))))
        #expect(!agents.contains(one, at: time.adding(.seconds(-1))))
        agents.remove(one)
        #expect(!agents.contains(one, at: time) && agents.contains(other, at: time))
    }

    @Test("An agent whose device registers while its devices are read is not remembered")
    func race() throws {
        let agent = try DocumentPath("agents/1")
        let agents = UnshownAgents()
        let changes = agents.changes
        agents.remove(agent)
        agents.insert(agent, at: time, since: changes)
        #expect(!agents.contains(agent, at: time))
    }

    @Test("When there are too many agents, all are forgotten")
    func capacity() throws {
        let agents = UnshownAgents(capacity: 2)
        for number in 1...3 { agents.insert(try DocumentPath("agents/\(number)"), at: time, since: 0) }
        let known = try (1...3).filter { agents.contains(try DocumentPath("agents/\($0)"), at: time) }
        #expect(known == [3])
    }
}
