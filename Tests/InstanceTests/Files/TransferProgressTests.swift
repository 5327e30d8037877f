import Instance
import Testing

@Suite("The progress of a transfer in words")
struct TransferProgressTests {
    @Test(
        "The line has the numbers, and after a second the rate and the time that is left",
        arguments: [
            (0, 50_000, 0, Duration.zero, "importing: 0 of 50,000 (0 %)"),
            (999, 50_000, 0, .milliseconds(900), "importing: 999 of 50,000 (1 %)"),
            (12_000, 50_000, 0, .seconds(2), "importing: 12,000 of 50,000 (24 %), 6,000/s, 7 s left"),
            // Documents of an earlier, interrupted import do not count for the rate.
            (
                30_000, 1_030_000, 20_000, .seconds(10),
                "importing: 30,000 of 1,030,000 (2 %), 1,000/s, 16 min 40 s left"
            ),
            (10, 1_000_000, 0, .seconds(10), "importing: 10 of 1,000,000 (0 %), 1/s, more than 100 h left"),
            (50_000, 50_000, 0, .seconds(10), "importing: 50,000 of 50,000 (100 %), 5,000/s"),
            (0, 0, 0, .seconds(10), "importing: 0 of 0 (100 %)"),
            (7_200, 36_000_000, 0, .seconds(1), "importing: 7,200 of 36,000,000 (0 %), 7,200/s, 1 h 23 min left"),
        ] as [(Int, Int, Int, Duration, String)])
    func documents(done: Int, total: Int, first: Int, elapsed: Duration, text: String) {
        let progress = TransferProgress("importing", .documents, done: done, of: total)
        #expect(progress.text(after: elapsed, from: first) == text)
    }

    @Test("Bytes are shown in MiB")
    func bytes() {
        let progress = TransferProgress("copying", .bytes, done: 128 << 20, of: 2_048 << 20)
        #expect(
            progress.text(after: .seconds(4), from: 0)
                == "copying: 128 MiB of 2,048 MiB (6 %), 32 MiB/s, 1 min 0 s left")
    }
}
