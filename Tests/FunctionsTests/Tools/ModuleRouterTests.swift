import HTTPTypes
import JSON
import Testing

@testable import Functions

@Suite("Endpoints of modules")
struct EndpointTableTests {
    private struct Module {
        let name: String
        var endpoints: [Endpoint] = []
        var fallbacks: [Fallback] = []

        init(_ name: String, _ endpoints: [(HTTPRequest.Method, PathPattern)], below prefixes: [PathPattern] = []) {
            self.name = name
            self.endpoints = endpoints.map { method, path in
                Endpoint(method, path) { request in
                    FunctionResponse(content: .text("\(name) \(request.parameters.sorted { $0.key < $1.key })"))
                }
            }
            if !prefixes.isEmpty {
                fallbacks = [Fallback(below: prefixes) { _ in FunctionResponse(content: .text("\(name) has nothing")) }]
            }
        }
    }

    private func answer(_ modules: [Module], _ method: HTTPRequest.Method, _ path: String) async -> FunctionResponse? {
        let table = ModuleRouter(endpoints: modules.flatMap(\.endpoints), fallbacks: modules.flatMap(\.fallbacks))
        guard let match = table.match(method, RequestPath(path)) else { return nil }
        return await match.handle(
            FunctionRequest(method: method, headerFields: [:], parameters: match.parameters, clientAddress: "") {
                _ in
                []
            })
    }

    @Test(
        "An endpoint is found by method and path, with decoded parameters",
        arguments: [
            ("/api/devices/a%2Fb", #"one [(key: "id", value: "a/b")]"#),
            ("/api//devices/x/", #"one [(key: "id", value: "x")]"#),
            ("/api/devices/register", "one []"), ("/api/devices/%zz", #"one [(key: "id", value: "%zz")]"#),
        ])
    func matching(path: String, text: String) async {
        let module = Module("one", [(.get, "/api/devices/{id}"), (.get, "/api/devices/register")])
        let found = await answer([module], .get, path)
        #expect(found == FunctionResponse(content: .text(text)))
        let head = await answer([module], .head, path)
        #expect(head == found)
    }

    @Test("Modules share a path with different methods and parameter names")
    func sharing() async {
        let modules = [
            Module("one", [(.delete, "/api/devices/{token}")]), Module("two", [(.get, "/api/devices/{id}")]),
        ]
        #expect(
            await answer(modules, .delete, "/api/devices/x")?.content == .text(#"one [(key: "token", value: "x")]"#))
        #expect(await answer(modules, .get, "/api/devices/x")?.content == .text(#"two [(key: "id", value: "x")]"#))
    }

    @Test("An unknown path has no endpoint, and a wrong method is answered with 405 and the allowed methods")
    func others() async {
        let module = Module("one", [(.post, "/register"), (.get, "/check/{id}")])
        for path in ["/", "/registers", "/register/more", "/check", "/check/1/2"] {
            #expect(await answer([module], .post, path) == nil)
        }
        let refused = await answer([module], .get, "/register")
        #expect(
            refused
                == FunctionResponse(
                    status: .methodNotAllowed, headerFields: [.allow: "POST"], body: ["error": "method_not_allowed"]))
    }

    @Test("A module's fallback answers below its prefixes if no module has an endpoint there")
    func fallbacks() async {
        let modules = [
            Module("one", [(.get, "/api/hits/{id}")], below: ["/api/hits"]),
            Module("two", [(.get, "/api/hits/{id}/photos")]),
        ]
        #expect(await answer(modules, .get, "/api/hits/1/photos")?.content == .text(#"two [(key: "id", value: "1")]"#))
        for (method, path) in [(HTTPRequest.Method.get, "/api/hits"), (.put, "/api/hits/1"), (.get, "/api/hits/1/2/3")]
        {
            #expect(await answer(modules, method, path)?.content == .text("one has nothing"))
        }
        #expect(await answer(modules, .get, "/api/others") == nil)
    }

    @Test("The longest prefix decides among fallbacks, and among equal ones the first module")
    func prefixes() async throws {
        let modules = [
            Module("one", [(.post, "/api/devices"), (.delete, "/api/devices/{token}")], below: ["/api/devices"]),
            Module("two", [(.get, "/api/devices/{id}")], below: ["/api/devices", "/api/devices/{id}", "/api/hits"]),
        ]
        for (path, text) in [
            ("/api/devices", "one has nothing"), ("/api/devices/x", "two has nothing"),
            ("/api/devices/x/y", "two has nothing"), ("/api/hits/x", "two has nothing"),
        ] {
            for modules in [modules, path == "/api/devices" ? modules : modules.reversed()] {
                #expect(await answer(modules, .patch, path)?.content == .text(text), "\(path)")
            }
        }
    }
}
