import Cryptography
import Testing

@Suite("Comparison in constant time")
struct ConstantTimeTests {
    @Test("equal bytes are equal, the empty ones too")
    func equal() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    }

    @Test("a difference anywhere, or in length, is a difference")
    func different() {
        #expect(!ConstantTime.equal([1, 2, 3], [0, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.equal([], [0]))
    }
}
