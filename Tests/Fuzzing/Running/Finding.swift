/// A fault, with the information to repeat it.
package struct Finding: Sendable, CustomStringConvertible {
    /// The fault that was found.
    package let fault: Fault
    /// The seed of the run.
    package let seed: UInt64
    /// The further arguments to repeat the finding.
    private let label: String
    /// The number of its case; `nil` if the finding belongs to no single case.
    package let number: Int?
    /// The way of the case; `nil` if the finding belongs to no single case.
    package let way: Way?
    /// The names of the request's mutations.
    package let mutations: [String]
    /// The bytes that were sent.
    package let bytes: [UInt8]
    /// The open cases when the gateway disappeared; one of them, or several together, caused it.
    package var suspects: [Suspect] = []
    /// The number of times that the fault was seen.
    package internal(set) var count = 1

    /// A case that was open, and the bytes that it sent.
    package struct Suspect: Sendable {
        /// The number of the case.
        package let number: Int
        /// The bytes that the case sent.
        package let bytes: [UInt8]
    }

    init(_ fault: Fault, _ configuration: FuzzConfiguration, in fuzzCase: FuzzCase? = nil) {
        self.fault = fault
        seed = configuration.seed
        label = configuration.label
        number = fuzzCase?.number
        way = fuzzCase?.way
        mutations = fuzzCase?.mutations(of: fault.request) ?? []
        bytes = fuzzCase?.bytes(of: fault.request) ?? []
    }

    /// The identity of a finding: equal findings are counted together.
    struct Signature: Hashable {
        let kind: Fault.Kind
        let detail: String
        let route: String
        let way: Way?
    }

    var signature: Signature {
        Signature(kind: fault.kind, detail: fault.detail, route: fault.route, way: way)
    }

    package var description: String {
        var lines = ["✘ \(fault.kind.rawValue) \(fault.detail)  \(fault.route)".trimmed()]
        if let number, let way {
            lines.append(
                "  \(way.rawValue), case \(number)\(fault.request.map { ", request \($0)" } ?? ""), seen \(count) times"
            )
            lines.append("  again: \(label) --seed \(seed) --only \(number)")
        }
        if !mutations.isEmpty { lines.append("  changed: \(mutations.joined(separator: ", "))") }
        if !suspects.isEmpty {
            lines.append("  under way: \(suspects.map { String($0.number) }.joined(separator: ", "))")
        }
        if !bytes.isEmpty { lines.append("  sent \(bytes.count) bytes: \(Self.text(of: bytes))") }
        return lines.joined(separator: "\n")
    }

    private static let longestText = 800

    /// Returns the bytes as text for `printf '%b'`.
    private static func text(of bytes: [UInt8]) -> String {
        let text = bytes.prefix(longestText).reduce(into: "") { text, byte in
            switch byte {
            case 13: text += "\\r"
            case 10: text += "\\n"
            case UInt8(ascii: "\\"): text += "\\\\"
            case 32..<127: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return bytes.count > longestText ? text + "…" : text
    }
}

extension String {
    fileprivate func trimmed() -> String { split(separator: " ").joined(separator: " ") }
}

extension FuzzCase {
    /// Returns the mutations of one of the case's requests.
    func mutations(of request: Int?) -> [String] {
        switch content {
        case .requests(let requests, _), .streams(_, let requests, _):
            guard let request, requests.indices.contains(request) else { return [] }
            return requests[request].mutations
        case .bytes: return []
        }
    }
}
