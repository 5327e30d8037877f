import Testing

@testable import Messaging

@Suite("Jitter")
struct JitterTests {
    @Test("The numbers of a source are those of SplitMix64")
    func sequence() {
        let jitter = Jitter(seed: 1_234_567)
        let numbers: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        for number in numbers { #expect(jitter.next() == Double(number >> 11) / 9_007_199_254_740_992) }
    }

    @Test("The numbers of a source are evenly distributed from 0 to below 1")
    func distribution() {
        let jitter = Jitter(seed: 44)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let number = jitter.next()
            #expect((0..<1).contains(number))
            counts[Int(number * 10)] += 1
        }
        #expect(counts.allSatisfy { (900...1_100).contains($0) })
    }

    @Test("Sources differ")
    func sources() {
        let (one, other) = (Jitter.source(), Jitter.source())
        #expect((0..<4).map { _ in one() } != (0..<4).map { _ in other() })
    }
}
