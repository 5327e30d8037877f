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

    @Test("800 fuzz cases use every mutation of gRPC's calls, over valid HTTP/2 and broken HTTP/2")
    func calls() {
        var mutations: [Bool: Set<String>] = [:]
        for number in 0..<800 {
            guard case .streams(_, let requests, let isInOrder) = fuzzCase(number).content else { continue }
            for call in requests where call.route.hasPrefix("gRPC: ") {
                mutations[isInOrder, default: []].formUnion(call.mutations)
            }
        }
        let all = Set(GRPCMutation.all.map(\.name))
        #expect(mutations == [true: all, false: all])
    }

    @Test("800 fuzz cases call every method with names of databases that must be refused, over valid HTTP/2")
    func disguises() {
        var routes: Set<String> = []
        var all: Set<String> = []
        for number in 0..<800 {
            guard case .streams(_, let requests, true) = fuzzCase(number).content else { continue }
            for call in requests where call.route.hasPrefix("gRPC: ") {
                all.insert(call.route)
                if call.expectedCode == "3" { routes.insert(call.route) }
            }
        }
        #expect(routes == all.subtracting(["gRPC: ExecutePipeline", "gRPC: Nothing"]) && routes.count == 16)
    }

    @Test("800 fuzz cases run queries with too many filters and orders by each method that runs one, over valid HTTP/2")
    func longQueries() {
        var routes: Set<String> = []
        for number in 0..<800 {
            guard case .streams(_, let requests, true) = fuzzCase(number).content else { continue }
            // The other calls that must be refused have a name as their content.
            routes.formUnion(requests.filter { $0.expectedCode != nil && $0.text.body.count > 500 }.map(\.route))
        }
        #expect(routes == ["gRPC: RunQuery", "gRPC: RunAggregationQuery"])
    }

    @Test("The megabyte of a transform is in some requests, not in most")
    func transforms() {
        let sizes = Route.transforms.flatMap(\.bodies).map(\.utf8.count)
        #expect(sizes.filter { $0 > 1_000_000 }.count == 2 && sizes.filter { $0 < 5_000 }.count == 38)
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
