import ArgumentParser

/// The names of verbs, and the one that a misspelled name probably means.
enum VerbNames {
    /// Words of other programs, for verbs that have another name here.
    private static let synonyms = [
        "start": "serve", "run": "serve", "status": "health", "check": "doctor", "subscribe": "register",
        "unsubscribe": "unregister", "push": "send", "notify": "send", "test": "send", "log": "deliveries",
        "logs": "deliveries", "dump": "export",
    ]

    /// Returns the error for the first word that should be a verb and is none; `nil` if there is none.
    static func problem(with arguments: [String]) -> ValidationError? {
        var command: any ParsableCommand.Type = Pushgate.self
        var path = "pushgate"
        for argument in arguments.drop(while: { $0 == "help" }) {
            let verbs = command.configuration.subcommands
            guard !verbs.isEmpty, !argument.hasPrefix("-") else { return nil }
            guard let verb = verbs.first(where: { $0._commandName == argument }) else {
                return problem(argument, verbs.map { $0._commandName }, after: path)
            }
            command = verb
            path += " \(argument)"
        }
        return nil
    }

    private static func problem(_ word: String, _ verbs: [String], after path: String) -> ValidationError {
        let meant = nearest(to: word, among: verbs).map { " Did you mean “\(path) \($0)”?" }
        return ValidationError(
            "“\(path)” has no verb “\(word)”.\(meant ?? " “\(path) --help” lists those that it has.")")
    }

    private static func nearest(to word: String, among verbs: [String]) -> String? {
        let word = word.lowercased()
        if let synonym = synonyms[word], verbs.contains(synonym) { return synonym }
        let nearest = verbs.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        if let nearest, nearest.1 <= max(1, word.count / 3) { return nearest.0 }
        guard word.count >= 3 else { return nil }
        return verbs.first { $0.hasPrefix(word) || word.hasPrefix($0) }
    }

    /// Returns the number of letters to insert, delete, replace or exchange with their neighbor (the optimal string
    /// alignment distance).
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        var rows = [Array(0...other.count)]
        for (i, letter) in one.enumerated() {
            var row = [i + 1]
            for (j, otherLetter) in other.enumerated() {
                var best = min(rows[i][j + 1], row[j]) + 1
                best = min(best, rows[i][j] + (letter == otherLetter ? 0 : 1))
                if i > 0, j > 0, letter == other[j - 1], one[i - 1] == otherLetter {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
