/// A fragment of a page. Interpolated values are escaped, unless they are fragments themselves:
///
///     let row: HTML = "<li title=\"\(name)\">\(name)</li>"
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    let description: String

    init(stringLiteral value: String) { description = value }
    init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

    /// Takes text that is already markup.
    init(verbatim text: String) { description = text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ html: HTML) { text += html.description }
        mutating func appendInterpolation(_ html: HTML?) { text += html?.description ?? "" }
        mutating func appendInterpolation(_ pieces: [HTML]) { text += pieces.map(\.description).joined() }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }

        mutating func appendInterpolation(_ plain: String) {
            for scalar in plain.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
