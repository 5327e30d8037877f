import DocumentStore
import Foundation
import Functions

/// Numbers, times and small parts of pages.
enum ConsoleText {
    /// Returns a time for people, with the exact time for programs and as a hint. It is UTC without scripts, and the
    /// reader's own time with them.
    static func time(_ time: Timestamp) -> HTML {
        let text = time.description
        let short = text.prefix(19).replacing("T", with: " ")
        return "<time datetime=\"\(text)\" title=\"\(text)\">\(String(short)) UTC</time>"
    }

    /// Returns a time of Foundation's for people.
    static func moment(_ date: Date) -> HTML {
        time(Timestamp(microseconds: Int64(date.timeIntervalSince1970 * 1_000_000)))
    }

    /// Returns a text to copy, with a button for it where scripts can copy.
    static func copyable(_ text: String) -> HTML {
        """
        <p class="copy"><code>\(text)</code> <button class="quiet" type="button" data-copy hidden>Copy</button></p>
        """
    }

    /// Returns the text of an empty page, with the command that fills it.
    static func empty(_ text: HTML, command: String?) -> HTML {
        let line: HTML? = command.map { command in
            """
            <p>In a terminal on the gateway's machine, as the user who runs the gateway, or as root:</p>
            \(copyable(command))
            """
        }
        return "<div class=\"empty\"><p>\(text)</p>\n\(line)</div>"
    }

    /// Returns a number of bytes in words.
    static func bytes(_ count: Int64) -> String {
        var (value, unit) = (Double(count), 0)
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        return unit == 0 ? "\(count) bytes" : String(format: "%.1f %@", value, units[unit])
    }

    /// Returns a length of time in words, such as `3 min`.
    static func duration(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return switch seconds {
        case ..<1: "under a second"
        case ..<120: "\(Int(seconds)) s"
        case ..<7_200: "\(Int(seconds / 60)) min"
        case ..<172_800: "\(Int(seconds / 3_600)) h"
        default: "\(Int(seconds / 86_400)) days"
        }
    }

    /// Returns a number with a comma before each three digits, such as `10,000`.
    static func number(_ number: Int) -> String { number.formatted(.number.locale(Locale(identifier: "en_US"))) }

    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(Self.number(number)) \(number == 1 ? one : many)"
    }

    /// Returns an identifier that breaks after its dots before it breaks in a word.
    static func identifier(_ text: String) -> HTML {
        HTML(verbatim: ("\(text)" as HTML).description.replacing(".", with: ".<wbr>"))
    }

    /// Returns a mark with a word, whose colour repeats what the word says.
    static func mark(_ kind: String, _ word: String) -> HTML { "<span class=\"mark \(kind)\">\(word)</span>" }

    /// Returns links of which one is chosen.
    ///
    /// - Parameter links: The word, the path, and `true` for the one that is chosen.
    static func choice(_ name: String, _ links: [(String, String, Bool)]) -> HTML {
        let items = links.map { word, path, isChosen -> HTML in
            "<a href=\"\(path)\"\(isChosen ? " aria-current=\"true\"" as HTML : "")>\(word)</a>\n"
        }
        return "<nav class=\"choice\" aria-label=\"\(name)\"><span>\(name)</span>\n\(items)</nav>\n"
    }

    /// Returns a path with the values of a query, encoded.
    static func link(_ path: String, _ values: [(name: String, value: String?)]) -> String {
        var components = URLComponents()
        components.path = path
        let items = values.compactMap { item in item.value.map { URLQueryItem(name: item.name, value: $0) } }
        if !items.isEmpty { components.queryItems = items }
        return (components.string ?? path).replacing("+", with: "%2B")
    }

    static func link(toDevice path: DocumentPath) -> String {
        link("/console/devices/device", [("path", path.description)])
    }

    static func link(toDocument path: String) -> String { link("/console/documents", [("path", path)]) }
}
