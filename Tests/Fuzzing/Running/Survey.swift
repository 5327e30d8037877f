import JSON
import NIOCore
import TestBasics

/// Well-formed requests to all routes, from which the world has its values.
///
/// One that is refused is a finding: routes that only ever refuse are not tested.
struct Survey: Sendable {
    let dialer: Dialer
    let routes: [Route]
    let patience: Patience

    /// Asks every route, in order, and returns the values that their answers have.
    func verify(_ start: World, seed: UInt64) async throws -> (world: World, faults: [Fault]) {
        var generator = SeededGenerator(seed: seed)
        var world = start
        var faults: [Fault] = []
        for route in routes {
            guard let answer = try await ask(route, &generator, in: world) else {
                faults.append(Fault(.noAnswer, "well-formed", route: route.name))
                continue
            }
            if !route.expected.contains(answer.status) {
                faults.append(Fault(.refused, "\(answer.status)", route: route.name))
            }
            capture(route, answer, in: &world)
        }
        return (world, faults)
    }

    /// Returns a world with new values: tasks that are open, tokens that are known.
    func renewed(_ start: World, seed: UInt64) async throws -> World {
        var generator = SeededGenerator(seed: seed)
        var world = start
        for _ in 0..<3 {
            for route in routes where !route.captures.isEmpty {
                guard let answer = try await ask(route, &generator, in: world) else { continue }
                capture(route, answer, in: &world)
            }
        }
        return world
    }

    private func ask(
        _ route: Route, _ generator: inout SeededGenerator, in world: World
    ) async throws -> HTTP1Answer? {
        let request = FuzzRequest(to: route, &generator, in: world)
        let conversation = RequestConversation([request], patience: patience)
        return (try await dialer.hold(conversation, over: .plain) as? RequestConversation)?.answer
    }

    private func capture(_ route: Route, _ answer: HTTP1Answer, in world: inout World) {
        guard !route.captures.isEmpty, let json = try? JSONValue(parsing: answer.body) else { return }
        for (name, path) in route.captures {
            guard let text = json.value(at: path)?.string else { continue }
            // The name of a resource ends with its id.
            let id = text.hasPrefix("projects/") ? text.split(separator: "/").last.map(String.init) : text
            world.add(id ?? text, as: name)
        }
    }
}

extension JSONValue {
    /// The value at a path like `photos.0.id`.
    fileprivate func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self) { value, name in Int(name).map { value?[$0] } ?? value?[String(name)] }
    }
}
