import Foundation
import Testing

@testable import Fuzzing

/// Compares the table of routes with the routes declared in the sources.
@Suite("The fuzzer's table of routes")
struct RouteTableTests {
    /// A declared route: `*` stands for any segment, and `**` for the rest of a path.
    struct Declared: Hashable, CustomStringConvertible {
        /// `nil` for a function, which answers every method itself.
        let method: String?
        let segments: [String]

        init(_ method: String?, _ path: String) {
            self.method = method
            segments = path.split(separator: "/").map { segment in
                segment.hasPrefix(":") || segment.hasPrefix("{") ? "*" : String(segment)
            }
        }

        var description: String { "\(method ?? "any") /\(segments.joined(separator: "/"))" }

        func covers(_ route: Route) -> Bool {
            guard method == nil || method == route.method else { return false }
            let path = route.target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
            if method == nil { return path.last == segments.last }
            guard segments.last == "**" else { return matches(path) }
            return path.count >= segments.count && matches(Array(path.prefix(segments.count)))
        }

        private func matches(_ path: [String]) -> Bool {
            path.count == segments.count && zip(segments, path).allSatisfy { $0.hasPrefix("*") || $0 == $1 }
        }
    }

    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    private static func declared() throws -> Set<Declared> {
        var routes: Set<Declared> = []
        for folder in ["functions", "Sources/Gateway/Endpoints", "Sources/FCMInterface/Endpoints", "Sources/Console"] {
            let path = root.appending(path: folder).path
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name.hasSuffix(".swift") {
                routes.formUnion(declared(in: try String(contentsOfFile: path + "/" + name, encoding: .utf8)))
            }
        }
        return routes
    }

    private static func declared(in text: String) -> [Declared] {
        let endpoints = text.matches(of: /(?:endpoint|page|Route)\(\.(get|post|put|patch|delete), "(\/[^"]*)"/)
            .map { Declared($0.1.uppercased(), String($0.2)) }
        let paths = Dictionary(
            text.matches(of: /let (\w+): RouterPath = "([^"]*)"/).map { (String($0.1), String($0.2)) }
        ) { $1 }
        let routes = text.matches(of: /router\.(get|post|put|patch|delete)\((?:"([^"]*)"|(\w+))\)/).map { match in
            Declared(match.1.uppercased(), match.2.map(String.init) ?? match.3.flatMap { paths[String($0)] } ?? "")
        }
        let functions = text.matches(of: /function\("(\w+)"/).map { Declared(nil, "/\($0.1)") }
        return endpoints + routes + functions
    }

    @Test("The table of routes covers every route that a module or the gateway declares")
    func complete() throws {
        let declared = try Self.declared()
        // A lower count means that routes are declared in a form that this test does not find.
        #expect(declared.count >= 55, "\(declared.map(\.description).sorted())")
        for route in declared {
            #expect(Route.all.contains { route.covers($0) }, "no route of Tests/Fuzzing/Routes covers \(route)")
        }
    }
}
