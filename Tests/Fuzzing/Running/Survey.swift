import JSON
import NIOCore
import TestBasics

/// Well-formed requests to all routes, which give the world its values.
///
/// A refused request is a finding, as a route that always refuses is not tested.
struct Survey: Sendable {
    let dialer: Dialer
    let routes: [Route]
    let patience: Patience

    /// Requests every route in order, and returns the values of the answers.
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

    /// Returns a world with new values: open tasks and known tokens.
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
        for (name, place) in route.captures {
            guard let value = answer.value(at: place) else { continue }
            if case .json = place { world.add(value, as: name) } else { world.set(value, as: name) }
        }
    }
}

extension HTTP1Answer {
    fileprivate func value(at place: AnswerPlace) -> String? {
        switch place {
        case .json(let path):
            guard let text = (try? JSONValue(parsing: body))?.value(at: path)?.string else { return nil }
            // A resource's name ends with its id.
            return text.hasPrefix("projects/") ? text.split(separator: "/").last.map(String.init) : text
        case .field(let name): return self[name]?.split(separator: ";").first.map(String.init)
        case .input(let name):
            let rest = String(decoding: body, as: UTF8.self).split(separator: "name=\"\(name)\" value=\"").dropFirst()
                .first
            return rest?.split(separator: "\"", omittingEmptySubsequences: false).first.map(String.init)
        }
    }
}

extension JSONValue {
    /// Returns the value at a path such as `photos.0.id`.
    fileprivate func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self) { value, name in Int(name).map { value?[$0] } ?? value?[String(name)] }
    }
}
