import Functions
import GameSiteStandIn
import HTTPTypes
import JSON
import TestDoubles
import Testing

@testable import Gateway

@Suite("The functions' way to other sites", .timeLimit(.minutes(1)))
struct WebClientTests {
    /// What comes of asking a stand-in after player 7.
    private func outcome(
        _ answer: SiteAnswer, within bound: Duration = .seconds(30)
    ) async throws -> Result<FetchedAnswer, FetchError> {
        try await withGameSite { site in
            site.answer(about: 7, with: answer)
            return await outcome(site.url + "/api/v1/players/7/full?key=s3cret", within: bound)
        }
    }

    private func outcome(_ url: String, within bound: Duration) async -> Result<FetchedAnswer, FetchError> {
        await withTaskGroup(of: Void.self) { group in
            let web = WebClient(atOnce: 2, logger: .silent)
            group.addTask { try? await web.run() }
            defer { group.cancelAll() }
            do throws(FetchError) {
                return .success(try await web.get(url, within: bound))
            } catch {
                return .failure(error)
            }
        }
    }

    private func failure(_ result: Result<FetchedAnswer, FetchError>) throws -> FetchError {
        guard case .failure(let error) = result else {
            Issue.record("there was an answer")
            throw FetchError(.other, "there was an answer")
        }
        return error
    }

    @Test("hands on whatever is answered, a redirection too", arguments: [200, 302, 404, 503])
    func answers(status: Int) async throws {
        let answer = try await outcome(SiteAnswer(status: status, retryAfter: 7, body: ["a": 1])).get()
        #expect(answer.status == status && answer.body == Array(#"{"a":1}"#.utf8))
        #expect(answer.headerFields[.retryAfter] == "7")
    }

    @Test("says that nothing came in time, without the path")
    func timeOut() async throws {
        let error = try failure(try await outcome(.hanging, within: .milliseconds(200)))
        #expect(error.kind == .timedOut && !error.description.contains("s3cret"))
    }

    @Test("takes no answer of more than 4 MiB")
    func tooLarge() async throws {
        let long = SiteAnswer(body: .string(String(repeating: "a", count: (4 << 20) - 1)))
        #expect(try failure(try await outcome(long)).kind == .tooLarge)
    }

    @Test("says that nobody is there")
    func unreachable() async throws {
        let error = try failure(await outcome("http://127.0.0.1:1/s3cret", within: .seconds(10)))
        #expect(error.kind == .unreachable && !error.description.contains("s3cret"))
    }
}
