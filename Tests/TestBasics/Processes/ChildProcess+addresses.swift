extension ChildProcess {
    /// Returns the address after a word in the banner of a serving gateway: `address`, `over TLS`, `proxy`.
    package func address(_ name: String) -> String? {
        let line = outputText.split(separator: "\n").first { $0.contains("  \(name) ") }
        return line?.split(separator: " ").first { $0.contains("://") }.map(String.init)
    }

    /// Waits for the end of a serving gateway's banner and returns the address of its plain listener.
    package func servedAddress() async throws -> String {
        var url: String?
        _ = await eventually {
            url = outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { $0.contains("  address ") }?.split(separator: " ").last.map(String.init)
            return url != nil || !isRunning
        }
        guard let url else { throw NotAsExpected(output: outputText, errors: errorText) }
        return url
    }
}
