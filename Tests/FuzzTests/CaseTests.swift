import TestBasics
import Testing

@testable import Fuzzing

@Suite("Cases of the fuzzer")
struct CaseTests {
    private static let target = FuzzTarget(port: 1, tlsPort: 2, proxyPort: 3)

    private func fuzzCase(_ number: Int, seed: UInt64 = 5) -> FuzzCase {
        FuzzCase(number, seed: seed, target: Self.target, routes: Route.all, world: World(["hit": ["abc"]]))
    }

    @Test("A fuzz case is the same for the same seed and number, and differs for others")
    func repeatable() {
        for number in 0..<200 {
            #expect(fuzzCase(number).bytes(of: nil) == fuzzCase(number).bytes(of: nil))
            #expect(fuzzCase(number).bytes(of: nil) != fuzzCase(number, seed: 6).bytes(of: nil))
        }
    }

    @Test("800 fuzz cases use every way, route and mutation")
    func coverage() {
        var ways: Set<Way> = []
        var routes: Set<String> = []
        var mutations: Set<String> = []
        for number in 0..<800 {
            let fuzzCase = fuzzCase(number)
            ways.insert(fuzzCase.way)
            guard case .requests(let requests, _) = fuzzCase.content else { continue }
            for request in requests {
                routes.insert(request.route)
                mutations.formUnion(request.mutations)
            }
        }
        #expect(ways == Set(Way.allCases))
        #expect(routes == Set(Route.all.map(\.name)))
        #expect(mutations == Set(Mutation.all.map(\.name)))
    }

    @Test("A mutation never adds a line end to a request's head")
    func framing() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<3_000 {
            let request = FuzzRequest(&generator, routes: Route.all, in: World())
            let lines = request.text.headers.count + (request.text.contentLength == nil ? 1 : 2)
            let ends = request.text.head.filter { $0 == 10 }.count
            #expect(ends == lines + 1, "\(request.mutations)")
        }
    }

    @Test("A route's placeholders are filled with the values of their names")
    func world() {
        var generator = SeededGenerator(seed: 1)
        #expect(World(["hit": ["abc"]]).filled("/a/<hit>/<none>?x=<hit>", &generator) == "/a/abc/none?x=abc")
    }
}
