import JSON
import TestSupport
import Testing

/// The page `/try`, as a visitor uses it and sees it.
extension DrivenBrowser {
    /// Presses the page's button, and waits until the browser is subscribed to an agent.
    func subscribe() async throws {
        try await wait(until: "!document.getElementById('join').hidden")
        try await click("#form button")
        try await wait(until: "document.getElementById('status').textContent")
        #expect(try await status() == "This browser is subscribed.")
        try await wait(until: "document.querySelectorAll('#agents li').length === 1")
    }

    func status() async throws -> JSONValue {
        try await evaluate("return document.getElementById('status').textContent")
    }

    /// Returns the command that notifies the only agent.
    func command() async throws -> String {
        try #require(try await evaluate("return document.querySelector('#agents code').textContent").string)
    }

    /// Runs that command in a shell, as a visitor does who has copied it, and returns the gateway's answer.
    ///
    /// - Parameter environment: The shell's variables in addition to this process's.
    func runCommand(environment: [String: String] = [:]) async throws -> JSONValue {
        let command = try await self.command()
        let variables = environment.merging(["no_proxy": "127.0.0.1"]) { $1 }
        let finished = try await ChildProcess.running("/bin/sh", ["-c", command], environment: variables) { shell in
            try await shell.finish()
        }
        #expect(finished.exitCode == 0, "\(command)\n\(finished.errors)")
        return try JSONValue(parsing: finished.output)
    }

    /// Returns the secret in that command, which it has in a browser on the gateway's machine.
    func secret() async throws -> String {
        let command = try await self.command()
        return String(try #require(command.firstMatch(of: /Authorization: Bearer ([^']+)'/)).1)
    }

    /// Waits until the page shows a message with a body, and returns its title. The page has it from its worker.
    func title(of body: String) async throws -> JSONValue {
        let shown =
            "[...document.querySelectorAll('#messages li')]"
            + ".find(item => item.querySelector('.body').textContent === '\(body)')"
        try await wait(until: shown)
        return try await evaluate("return \(shown).querySelector('.title').textContent")
    }

    /// Returns title, body and tag of each displayed notification, sorted by their titles.
    func displayed() async throws -> JSONValue {
        try await evaluate(
            """
            return navigator.serviceWorker.ready.then(registration => registration.getNotifications())
                .then(all => all.map(shown => [shown.title, shown.body, shown.tag]).sort())
            """)
    }

    /// Unsubscribes from the only agent.
    func unsubscribe() async throws {
        try await click("#agents .leave")
        try await wait(until: "document.querySelectorAll('#agents li').length === 0")
    }
}
