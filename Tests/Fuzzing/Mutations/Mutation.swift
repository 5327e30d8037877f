import TestBasics

/// A change to a request that keeps its framing correct, so that it gets one answer.
struct Mutation: Sendable {
    let name: String
    let apply: @Sendable (inout RequestText, inout SeededGenerator) -> Void

    init(_ name: String, _ apply: @escaping @Sendable (inout RequestText, inout SeededGenerator) -> Void) {
        self.name = name
        self.apply = apply
    }

    static let all = targets + fields + bodies

    /// The mutations of the method and the target.
    private static let targets: [Mutation] = [
        Mutation("method") { request, generator in request.method = generator.pick(OddText.methods) },
        Mutation("segment replaced") { request, generator in
            changePath(&request) { segments in
                segments[generator.number(0...(segments.count - 1))] = generator.pick(OddText.segments)
            }
        },
        Mutation("segment dropped") { request, generator in
            changePath(&request) { segments in
                segments.remove(at: generator.number(0...(segments.count - 1)))
            }
        },
        Mutation("segment added") { request, generator in
            changePath(&request) { segments in
                let segment = generator.pick(segments + OddText.segments)
                segments.insert(segment, at: generator.number(0...segments.count))
            }
        },
        Mutation("segment percent-encoded") { request, generator in
            changePath(&request) { segments in
                let index = generator.number(0...(segments.count - 1))
                segments[index] = segments[index].utf8.map { "%" + hexadecimal($0) }.joined()
            }
        },
        Mutation("segment with another end") { request, generator in
            changePath(&request) { segments in
                segments[generator.number(0...(segments.count - 1))] += generator.pick(OddText.nameEnds)
            }
        },
        Mutation("segment long") { request, generator in
            changePath(&request) { segments in
                let text = String(
                    repeating: generator.pick(["a", "%41", "é", "../", "."]), count: generator.pick([200, 3_000]))
                segments[generator.number(0...(segments.count - 1))] = text
            }
        },
        Mutation("query added") { request, generator in
            let name = generator.pick([
                "limit", "after", "before", "page", "pageSize", "pageToken", "token", "topic", "a",
            ])
            request.target +=
                (request.target.contains("?") ? "&" : "?") + name + "="
                + generator.pick(OddText.numbers + OddText.segments)
        },
        Mutation("query changed") { request, generator in
            changeQuery(&request) { pairs in
                let index = generator.number(0...(pairs.count - 1))
                let name = pairs[index].prefix { $0 != "=" }
                // A requested wait would look like a hang.
                guard name != "timeout" else { return }
                pairs[index] =
                    name + generator.pick(["=", "", "=="]) + generator.pick(OddText.numbers + OddText.segments)
            }
        },
        Mutation("query misspelt") { request, generator in
            changeQuery(&request) { pairs in
                let index = generator.number(0...(pairs.count - 1))
                // A requested wait would look like a hang.
                guard !pairs[index].hasPrefix("timeout") else { return }
                pairs[index] = misspelt(pairs[index], &generator)
            }
        },
    ]

    /// Returns a pair of a query whose name has a letter less, a letter twice, or another case.
    private static func misspelt(_ pair: String, _ generator: inout SeededGenerator) -> String {
        let (name, rest) = (pair.prefix { $0 != "=" }, pair.drop { $0 != "=" })
        guard !name.isEmpty else { return pair }
        let place = name.index(name.startIndex, offsetBy: generator.number(0...(name.count - 1)))
        let (beginning, letter, end) = (name[..<place], String(name[place]), name[name.index(after: place)...])
        let other = generator.pick(["", letter + letter, letter.uppercased(), letter.lowercased()])
        return "\(beginning)\(other)\(end)\(rest)"
    }

    private static func changeQuery(_ request: inout RequestText, _ change: (inout [String]) -> Void) {
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        var pairs = parts[1].split(separator: "&").map(String.init)
        guard !pairs.isEmpty else { return }
        change(&pairs)
        request.target = parts[0] + "?" + pairs.joined(separator: "&")
    }

    private static func changePath(_ request: inout RequestText, _ change: (inout [String]) -> Void) {
        let (path, query) = (request.target.prefix { $0 != "?" }, request.target.drop { $0 != "?" })
        var segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        if segments.isEmpty { segments = [""] }
        change(&segments)
        request.target = "/" + segments.joined(separator: "/") + query
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
    }
}
