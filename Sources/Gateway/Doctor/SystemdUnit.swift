import Foundation

/// The arguments, the environment and the groups that a unit of systemd gives its program.
package struct SystemdUnit: Sendable {
    /// The properties to ask for, as `systemctl show --property` takes them.
    package static let properties = [
        "LoadState", "ExecStart", "Environment", "EnvironmentFiles", "Group", "SupplementaryGroups",
    ]

    /// The arguments after the program's name.
    package let arguments: [String]
    /// The variables of `Environment=`, with systemd's specifiers replaced.
    package let environment: [String: String]
    /// The paths of `EnvironmentFile=`, whose variables override the others.
    package let environmentFiles: [String]
    /// The name or the number of `Group=`; `nil` for the group of the user's account.
    package let group: String?
    /// The names or numbers of `SupplementaryGroups=`.
    package let supplementaryGroups: [String]

    /// Reads the properties as `systemctl show` prints them; `nil` if there is no such unit.
    package init?(_ properties: String) {
        var (arguments, environment, files) = ([String](), [String: String](), [String]())
        var (group, supplementaryGroups) = (nil as String?, [String]())
        var isLoaded = false
        for line in properties.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "LoadState": isLoaded = parts[1] == "loaded"
            case "Environment": environment = Self.variables(in: Self.words(parts[1]))
            case "EnvironmentFiles": files.append(String(parts[1].split(separator: " (").first ?? parts[1]))
            case "Group": group = parts[1].isEmpty ? nil : String(parts[1])
            case "SupplementaryGroups": supplementaryGroups = Self.words(parts[1])
            case "ExecStart":
                guard let start = parts[1].firstRange(of: "argv[]="),
                    let end = parts[1][start.upperBound...].firstRange(of: " ; ")
                else { continue }
                arguments = Array(Self.words(parts[1][start.upperBound..<end.lowerBound]).dropFirst())
            default: continue
            }
        }
        guard isLoaded else { return nil }
        (self.arguments, self.environment, environmentFiles) = (arguments, environment, files)
        (self.group, self.supplementaryGroups) = (group, supplementaryGroups)
    }

    /// Returns the whole environment.
    ///
    /// - Parameter contents: Returns the text of a file; `nil` if it cannot be read.
    package func environment(_ contents: (String) -> String?) -> [String: String] {
        environmentFiles.compactMap(contents).reduce(into: environment) { all, text in
            all.merge(Self.variables(inFile: text)) { $1 }
        }
    }

    /// Reads a file of `EnvironmentFile=`
    /// ([systemd.exec(5)](https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#EnvironmentFile=)).
    static func variables(inFile text: String) -> [String: String] {
        let lines = text.replacing("\\\n", with: "").split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        return variables(
            in: lines.filter { !$0.hasPrefix("#") && !$0.hasPrefix(";") }.compactMap { line in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { return nil }
                return "\(parts[0].trimmingCharacters(in: .whitespaces))=\(words(parts[1]).joined(separator: " "))"
            })
    }

    private static func variables(in assignments: [String]) -> [String: String] {
        assignments.reduce(into: [:]) { all, assignment in
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { all[String(parts[0])] = String(parts[1]) }
        }
    }

    /// Splits a text at spaces outside quotes, and removes quotes and backslashes.
    private static func words(_ text: Substring) -> [String] {
        var (words, word, quote, isEscaped) = ([String](), nil as String?, nil as Character?, false)
        for character in text {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap(\.self)
    }
}
