import Testing

@testable import Server

@Suite("Progress of writes")
struct WriteProgressTests {
    private var progress = WriteProgress()

    @Test("A write is stalled if no waiting byte is sent between two checks")
    mutating func stalled() {
        progress.write(100_000)
        #expect(progress.look(waiting: 100_000) == .moves)
        #expect(progress.look(waiting: 100_000) == .stalled)
    }

    @Test("A write is stalled below 16 KiB between two checks, and moves from 16 KiB on")
    mutating func pace() {
        progress.write(10_000_000)
        #expect(progress.look(waiting: 9_000_000) == .moves)
        #expect(progress.look(waiting: 9_000_000 - 16_384) == .moves)
        #expect(progress.look(waiting: 9_000_000 - 16_384 - 16_383) == .stalled)
    }

    @Test("A write moves if all waiting bytes were sent, however few")
    mutating func little() {
        progress.write(10)
        #expect(progress.look(waiting: 10) == .moves)
        progress.write(20)
        #expect(progress.look(waiting: 20) == .moves)
        #expect(progress.look(waiting: 0) == .nothingWaits)
        progress.write(5)
        #expect(progress.look(waiting: 5) == .moves)
        #expect(progress.look(waiting: 5) == .stalled)
    }
}
