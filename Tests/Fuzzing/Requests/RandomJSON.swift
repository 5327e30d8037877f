package import TestBasics

/// Well-formed JSON without meaning. Its objects have no `cwd` and no `installation_id`, one of which every
/// function requires.
package struct RandomJSON {
    /// The generator of all choices, in its state after the last object.
    package private(set) var generator: SeededGenerator

    private static let names = [
        "fcm_token", "message_preview", "finished_at", "include_preview", "renderable_assistant_count", "platform",
        "conversation_id", "exclude_fcm_token", "a", "", "\\u0000", "__proto__", "é",
    ]
    private static let scalars = [
        "null", "true", "false", "0", "-0", "1.5", "1e308", "-1e-308", "9223372036854775807", "9223372036854775808",
        "123456789012345678901234567890", #""""#, #""text""#, #""\ud83d\ude00""#, #""\ud83d""#, #""\u0000""#,
        #""1e999""#,
    ]

    /// Creates a source of random JSON whose choices depend on the generator only.
    package init(_ generator: SeededGenerator) { self.generator = generator }

    /// Returns the next object, with values nested up to the given depth.
    package mutating func object(depth: Int) -> String {
        let members = (0..<generator.number(0...5)).map { _ in
            "\"\(generator.pick(Self.names))\":\(value(depth: depth - 1))"
        }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func value(depth: Int) -> String {
        guard depth > 0 else { return generator.pick(Self.scalars) }
        switch generator.number(0...3) {
        case 0: return object(depth: depth)
        case 1: return "[\((0..<generator.number(0...4)).map { _ in value(depth: depth - 1) }.joined(separator: ","))]"
        default: return generator.pick(Self.scalars)
        }
    }
}
