import Foundation
import Instance
import Settings
import Yams

/// The contents of a YAML configuration file: values by key, and the list `apps`.
struct ConfigurationFile {
    private let table: SettingTable
    private(set) var values: [String: ConfigurationSources.Value] = [:]
    /// The keys in the file of settings that earlier versions had.
    private(set) var formerKeys: Set<String> = []
    /// The apps, each as its keys and values.
    private(set) var apps: [[String: String]] = []

    /// Reads a file.
    ///
    /// - Parameter table: The settings that a file may contain, besides `apps`.
    init(_ file: ConfiguredFile, _ table: SettingTable) throws(ConfigurationError) {
        self.table = table
        let path = file.path
        guard !file.isPipe else {
            throw ConfigurationError(
                key: file.key,
                problem: "cannot read \(path): it is a pipe, which gives its contents once, and SIGHUP reads them "
                    + "again; give \(file.expected)")
        }
        guard let text = String(bytes: try file.contents(), encoding: .utf8) else {
            throw ConfigurationError(key: file.key, problem: "cannot read \(path): it is not text in UTF-8")
        }
        guard let root = try Self.root(of: text, path) else { return }
        do throws(ConfigurationError) {
            try take(root, at: "")
        } catch {
            throw ConfigurationError(key: error.key, problem: "\(error.problem) (in \(path))")
        }
    }

    private static func root(of text: String, _ path: String) throws(ConfigurationError) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw ConfigurationError(key: "--config", problem: "\(path) is not YAML: \(error.place)")
        } catch {
            throw ConfigurationError(key: "--config", problem: "cannot read \(path): \(error)")
        }
    }

    private mutating func take(_ node: Node, at key: String) throws(ConfigurationError) {
        let setting = table[key]
        switch node {
        case _ where table.formerKeys.contains(key): formerKeys.insert(key)
        case _ where node.null != nil: break
        case _ where key == "apps": apps = try Self.apps(in: node, keys: table.appKeys)
        case .mapping(let mapping) where setting == nil:
            for (name, value) in mapping {
                guard let name = name.string else { continue }
                try take(value, at: key.isEmpty ? name : "\(key).\(name)")
            }
        case .sequence where key.isEmpty:
            throw ConfigurationError(
                key: "--config",
                problem: "begins with a list; it takes keys with values, such as “http: { port: 8080 }”")
        case .scalar where key.isEmpty:
            throw ConfigurationError(
                key: "--config",
                problem: "is a single word or number; it takes keys with values, such as “http: { port: 8080 }”")
        case _ where setting == nil: throw table.unknown(key)
        case .scalar(let scalar): values[key] = .text(scalar.string)
        case .sequence(let sequence) where setting?.isList == true && sequence.allSatisfy { $0.scalar != nil }:
            values[key] = .list(sequence.compactMap(\.string))
        case .sequence:
            let problem = setting?.isList == true ? "takes a list of plain values" : "takes one value, not a list"
            throw ConfigurationError(key: key, problem: problem)
        case .mapping, .alias: throw ConfigurationError(key: key, problem: "takes a value, not a mapping")
        }
    }

    private static func apps(
        in node: Node, keys: Set<String>
    ) throws(ConfigurationError) -> [[String: String]] {
        guard let sequence = node.sequence else {
            throw ConfigurationError(key: "apps", problem: "takes a list, with a mapping for each app")
        }
        var apps: [[String: String]] = []
        for (index, entry) in sequence.enumerated() {
            guard let mapping = entry.mapping else {
                throw ConfigurationError(key: "apps[\(index)]", problem: "takes a mapping, with bundleId and more")
            }
            var app: [String: String] = [:]
            for (name, value) in mapping {
                guard let name = name.string, keys.contains(name), let text = value.string else {
                    throw ConfigurationError(
                        key: "apps[\(index)].\(name.string ?? "")", problem: "is not a key; \(advice)")
                }
                // An empty value counts as absent, as everywhere.
                if value.null == nil, !text.isEmpty { app[name] = text }
            }
            apps.append(app)
        }
        return apps
    }

    private static let advice = "docs/configuration.md lists the keys"
}

extension YamlError {
    /// The error and its place, without the line itself, which may contain a secret.
    fileprivate var place: String {
        switch self {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "line \(mark.line), column \(mark.column): \(problem)"
        case .duplicatedKeysInMapping(let duplicates, _):
            "\(duplicates.joined(separator: ", ")) occurs twice"
        default: "it cannot be read"
        }
    }
}
