import Testing

@testable import Gateway

@Suite("Progress of writing")
struct WriteProgressTests {
    private var progress = WriteProgress()

    @Test("is none when nothing of what waits is taken between two looks")
    mutating func stalled() {
        progress.write(100_000)
        #expect(progress.look(waiting: 100_000) == .moves)
        #expect(progress.look(waiting: 100_000) == .stalled)
    }

    @Test("is too little below 16 KiB between two looks, and enough from there on, however much waits")
    mutating func pace() {
        progress.write(10_000_000)
        #expect(progress.look(waiting: 9_000_000) == .moves)
        #expect(progress.look(waiting: 9_000_000 - 16_384) == .moves)
        #expect(progress.look(waiting: 9_000_000 - 16_384 - 16_383) == .stalled)
    }

    @Test("is enough when all that waited has been taken, be it little")
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
