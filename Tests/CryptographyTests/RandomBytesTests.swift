import Cryptography
import Testing

@Suite("Random bytes")
struct RandomBytesTests {
    @Test("There are as many random bytes as asked for", arguments: [0, 1, 7, 8, 9, 16, 32, 100])
    func counts(count: Int) {
        #expect(RandomBytes.generate(count).count == count)
    }

    /// A byte that is always 0, such as one that nobody wrote, would be 0 in all of 100 numbers.
    @Test("Each of the bytes is random")
    func everyByte() {
        let samples = (0..<100).map { _ in RandomBytes.generate(11) }
        for place in 0..<11 { #expect(Set(samples.map { $0[place] }).count > 10) }
    }
}
