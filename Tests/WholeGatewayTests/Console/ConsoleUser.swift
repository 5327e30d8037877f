import Foundation
import Gateway
import HTTPTypes
import Secrets
import TestSupport
import Testing

/// A user of a gateway's console, without a browser.
struct ConsoleUser: Sendable {
    let gateway: RunningGateway
    let cookie: String

    /// Signs in.
    ///
    /// - Parameter token: the token; `nil` for the admin token.
    init(_ gateway: RunningGateway, token: String? = nil) async throws {
        self.gateway = gateway
        let answer = try await Self.signIn(gateway, token ?? gateway.gateway.adminToken.value)
        try #require(answer.status == 303)
        cookie = try #require(answer.headerFields[.setCookie]?.split(separator: ";").first.map(String.init))
    }

    /// Sends the form to sign in.
    ///
    /// - Parameter next: The page that it leads to; `nil` for the first.
    static func signIn(
        _ gateway: RunningGateway, _ token: String, _ headers: HTTPFields = [:], next: String? = nil
    ) async throws -> Answer {
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        fields.append(contentsOf: headers)
        return try await gateway.caller.send(
            .post, "/console/sign-in", headerFields: fields,
            body: Array("token=\(encoded(token))\(next.map { "&next=\(encoded($0))" } ?? "")".utf8))
    }

    func get(_ path: String) async throws -> Answer {
        try await gateway.caller.send(.get, path, headerFields: [.cookie: cookie])
    }

    /// Sends a form of a page, with the page's key.
    func post(
        _ path: String, _ values: [String: String], key: String? = nil, _ headers: HTTPFields = [:]
    ) async throws -> Answer {
        let page = try await get("/").text
        let found = page.firstMatch(of: /name="key" value="([^"]+)"/).map { String($0.1) }
        let all = values.merging(["key": key ?? found ?? ""]) { $1 }
        let body = all.map { "\(Self.encoded($0.key))=\(Self.encoded($0.value))" }.joined(separator: "&")
        var fields: HTTPFields = [.cookie: cookie, .contentType: "application/x-www-form-urlencoded"]
        fields.append(contentsOf: headers)
        return try await gateway.caller.send(.post, path, headerFields: fields, body: Array(body.utf8))
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
