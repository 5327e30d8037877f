import Functions
import GameSiteStandIn
import HTTPTypes
import JSON
import TestDoubles
import Testing

@testable import Gateway

@Suite("Web client of the functions", .timeLimit(.minutes(10)))
struct WebClientTests {
    /// Returns the outcome of a request for player 7 from a stand-in.
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
            let web = WebClient(maximumConnectionsPerHost: 2, logger: .silent)
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
            Issue.record("the request was answered")
            throw FetchError(.other, "there was an answer")
        }
        return error
    }

    @Test("The web client returns every answer, including redirects", arguments: [200, 302, 404, 503])
    func answers(status: Int) async throws {
        let answer = try await outcome(SiteAnswer(status: status, retryAfter: 7, body: ["a": 1])).get()
        #expect(answer.status == status && answer.body == Array(#"{"a":1}"#.utf8))
        #expect(answer.headerFields[.retryAfter] == "7")
    }

    @Test("A request that times out fails with an error that does not show the path")
    func timeOut() async throws {
        let error = try failure(try await outcome(.hanging, within: .milliseconds(200)))
        #expect(error.kind == .timedOut && !error.description.contains("s3cret"))
    }

    @Test("An answer of more than 4 MiB fails as too large")
    func tooLarge() async throws {
        let long = SiteAnswer(body: .string(String(repeating: "a", count: (4 << 20) - 1)))
        #expect(try failure(try await outcome(long)).kind == .tooLarge)
    }

    @Test("A site that does not listen fails as unreachable, and the error does not show the path")
    func unreachable() async throws {
        let error = try failure(await outcome("http://127.0.0.1:1/s3cret", within: .seconds(10)))
        #expect(error.kind == .unreachable && !error.description.contains("s3cret"))
    }
}
