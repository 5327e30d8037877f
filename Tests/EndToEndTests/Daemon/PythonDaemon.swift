import Foundation
import JSON
import TestSupport

/// Sends the request of the daemon in the field: Python's own HTTP client, compact JSON in raw UTF-8, no retry.
struct PythonDaemon {
    static let interpreter = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/python3" }.first(where: FileManager.default.isExecutableFile)

    private static let program = """
        import json, os, sys, time, urllib.request
        base = os.environ["CODEAGENTS_PUSH_GATEWAY_BASE_URL"].rstrip("/")
        body = json.dumps(json.loads(sys.argv[1]), ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        request = urllib.request.Request(base + "/triggerReplyFinished", data=body, method="POST", headers={
            "Authorization": "Bearer " + os.environ["CODEAGENTS_PUSH_SECRET"],
            "Content-Type": "application/json",
        })
        start = time.monotonic()
        with urllib.request.urlopen(request, timeout=float(sys.argv[2])) as response:
            answer = json.loads(response.read())
            print(json.dumps({
                "status": response.status, "answer": answer, "seconds": time.monotonic() - start,
            }))
        """

    let baseURL: String
    let secret: String

    /// Reports a finished reply.
    ///
    /// - Parameter patience: The number of seconds to wait for the answer; by default the daemon's own 2.5.
    /// - Returns: `status`, `answer`, and the duration in `seconds`.
    func trigger(_ body: JSONValue, patience: Double = 2.5) async throws -> JSONValue {
        try await ChildProcess.running(
            Self.interpreter ?? "", ["-c", Self.program, body.text, "\(patience)"],
            environment: [
                "CODEAGENTS_PUSH_GATEWAY_BASE_URL": baseURL, "CODEAGENTS_PUSH_SECRET": secret,
                "PYTHONIOENCODING": "utf-8",
            ]
        ) { child in
            let finished = try await child.finish()
            guard finished.exitCode == 0 else { throw PythonFailed(errors: finished.errors) }
            return try JSONValue(parsing: finished.output)
        }
    }
}

struct PythonFailed: Error {
    let errors: String
}
