import JSON
import TestBasics

/// A change to the structure of JSON: another value, a missing member or a new one.
enum JSONMutation {
    private static let scalars: [JSONValue] = [
        .null, true, false, 0, -1, 1, 1.5, -1e308, 255, 4_294_967_296, .integer(.max), .integer(.min), "", " ", "x",
        "0", "\u{0}",
        "a/b", "..", "emulated:x", "1ms", "2026-11-22T10:00:00Z", "😀", "\u{202E}", [], [:], [[]], [nil], ["": ""],
        .string(String(repeating: "y", count: 300)), .string(String(repeating: "é", count: 5_000)),
        .array(Array(repeating: "z", count: 1_100)),
    ]

    /// Changes one place of the value, chosen at random on the way down.
    static func apply(to json: inout JSONValue, _ generator: inout SeededGenerator) {
        switch json {
        case .object(var object) where !object.isEmpty && generator.number(0...9) > 0:
            change(&object, &generator)
            json = .object(object)
        case .array(var array) where !array.isEmpty && generator.number(0...9) > 1:
            change(&array, &generator)
            json = .array(array)
        default: json = generator.pick(scalars)
        }
    }

    private static func change(_ object: inout JSONObject, _ generator: inout SeededGenerator) {
        let name = generator.pick(object.members.map(\.name))
        switch generator.number(0...7) {
        case 0: object[name] = nil
        case 1: object[generator.text(3)] = object[name]
        case 2:
            let names = OddText.memberNames + [name + name, name + "\u{301}", name + "\u{0}"]
            object[generator.pick(names)] = generator.pick(scalars)
        default:
            guard var value = object[name] else { return }
            apply(to: &value, &generator)
            object[name] = value
        }
    }

    private static func change(_ array: inout [JSONValue], _ generator: inout SeededGenerator) {
        let index = generator.number(0...(array.count - 1))
        switch generator.number(0...4) {
        case 0: array.remove(at: index)
        case 1: array.append(array[index])
        case 2: array += Array(repeating: array[index], count: generator.pick([20, 150]))
        default: apply(to: &array[index], &generator)
        }
    }
}
