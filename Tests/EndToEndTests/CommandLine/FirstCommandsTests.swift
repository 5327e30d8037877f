import Console
import DocumentStore
import Emulator
import Gateway
import TestDoubles
import TestSupport
import Testing

@Suite("Commands on empty pages of the console", .timeLimit(.minutes(10)))
struct FirstCommandsTests {
    @Test("The commands work as they are shown, one after the other in one shell")
    func commands() async throws {
        try await withGateway { gateway in
            let script = """
                program=$1; data=$2
                pushgate() { "$program" "$@" --data-directory "$data"; }
                set -e
                \(FirstCommands.register)
                \(FirstCommands.trigger)
                \(FirstCommands.document)
                """
            let arguments = ["-c", script, "sh", PushgateProgram.path, gateway.directory]
            let finished = try await ChildProcess.running("/bin/sh", arguments) { try await $0.finish() }
            #expect(finished.exitCode == 0, "\(finished.errors)")
            #expect(finished.output.contains("attempted 1, sent 1"), "\(finished.output)")
            #expect(gateway.gateway.inbox.items().count == 1)
            let document = try await gateway.gateway.store.document(at: DocumentPath("notes/first"))
            #expect(document?.fields == ["name": "x"])
        }
    }
}
