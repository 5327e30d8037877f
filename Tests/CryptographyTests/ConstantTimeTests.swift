import Cryptography
import Testing

@Suite("Comparison in constant time")
struct ConstantTimeTests {
    @Test("Constant-time comparison finds equal bytes equal, including empty ones")
    func equal() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    }

    @Test("Constant-time comparison finds a difference at any position and in length")
    func different() {
        #expect(!ConstantTime.equal([1, 2, 3], [0, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.equal([], [0]))
    }
}
