import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import Gateway

@Suite("Ids of requests", .timeLimit(.minutes(10)))
struct RequestIDTests {
    @Test("Each response has an id of its own, refusals and functions included")
    func responses() async throws {
        try await withGateway { gateway in
            let field = try #require(HTTPField.Name("X-Request-Id"))
            var ids: [String] = []
            for path in ["/", "/healthz", "/nothing", "/v1/deliveries", "/triggerReplyFinished"] {
                let answer = try await gateway.caller.send(.get, path, headerFields: [field: "chosen"])
                ids.append(try #require(answer.headerFields[field], "\(path)"))
            }
            #expect(Set(ids).count == ids.count && !ids.contains("chosen"))
            #expect(ids.allSatisfy { $0.utf8.count <= 15 && $0.allSatisfy(\.isHexDigit) })
        }
    }

    @Test("Lines of the log about a request have its id in place of the server's own, and other lines have none")
    func log() async throws {
        let logger: Logger.Metadata = ["hb.request.id": "0001", "server": "a"]
        func merged(_ metadata: Logger.Metadata?) -> Logger.Metadata {
            logger.merged(
                with: LogEvent(
                    level: .info, message: "x", metadata: metadata, source: "test", file: "", function: "", line: 1))
        }
        #expect(merged(["server": "b"]) == ["server": "b"])
        RequestID.$current.withValue("abc") {
            #expect(merged(nil) == ["server": "a", "request": "abc"])
        }
    }
}
