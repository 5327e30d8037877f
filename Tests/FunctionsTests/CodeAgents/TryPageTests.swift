import Cryptography
import Foundation
import HTTPTypes
import JSON
import Testing

@testable import Functions

@Suite("The page that subscribes a browser")
struct TryPageTests {
    private static let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    private func bench(key: String? = Self.key) throws -> Bench {
        try Bench(services: { services in
            var changed = services
            changed.host.webPushKey = { key }
            return changed
        })
    }

    private func page(key: String? = Self.key, isFromLoopback: Bool = false) async throws -> FunctionResponse {
        try await bench(key: key).endpoint(.get, "/try", isFromLoopback: isFromLoopback)
    }

    @Test("The page has the public key, and says only to browsers of the gateway's machine that they need no code")
    func facts() async throws {
        let (near, far) = (try await page(isFromLoopback: true).text, try await page().text)
        #expect(near.contains("<main data-key=\"\(Self.key)\" data-local>"))
        #expect(far.contains("<main data-key=\"\(Self.key)\">"))
    }

    @Test("Without Web Push the page has no way to subscribe, and names the setting")
    func switchedOff() async throws {
        let text = try await page(key: nil).text
        #expect(text.contains("webpush.subject") && !text.contains("id=\"join\"") && !text.contains("data-key=\""))
    }

    @Test("The page is not kept, and its policy allows its own style and script by their digests, and nothing else")
    func policy() async throws {
        let page = try await page()
        #expect(page.headerFields[.cacheControl] == "no-store")
        #expect(page.headerFields[.xContentTypeOptions] == "nosniff")
        for (name, value) in [("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY")] {
            let field = try #require(HTTPField.Name(name))
            #expect(page.headerFields[field] == value)
        }
        let policy = try #require(page.headerFields[.contentSecurityPolicy])
        for (tag, directive) in [("style", "style-src"), ("script", "script-src")] {
            let start = try #require(page.text.range(of: "<\(tag)>")).upperBound
            let end = try #require(page.text.range(of: "</\(tag)>")).lowerBound
            let digest = Data(SHA256.digest(of: page.text[start..<end].utf8)).base64EncodedString()
            #expect(policy.contains("\(directive) 'sha256-\(digest)';"))
            #expect(page.text.split(separator: "<\(tag)").count == 2)
        }
        #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe") && !policy.contains("http"))
        #expect(policy.contains("worker-src 'self'; connect-src 'self'; manifest-src 'self'; img-src 'self';"))
        #expect(policy.hasSuffix("form-action 'none'; base-uri 'none'; frame-ancestors 'none'"))
    }

    @Test("The page and its files load nothing from elsewhere")
    func ownContent() async throws {
        let worker = try await bench().endpoint(.get, "/try/worker.js").text
        for text in [try await page().text, worker] {
            let addresses = text.matches(of: /(?:src|href)="([^"]*)"/).map { String($0.1) }
            #expect(addresses.allSatisfy { $0.hasPrefix("try/") }, "\(addresses)")
            #expect(!text.contains("importScripts") && !text.contains("innerHTML") && !text.contains("eval("))
        }
        #expect(!worker.isEmpty)
    }

    @Test("The worker is a script that may serve the page above it")
    func worker() async throws {
        let worker = try await bench().endpoint(.get, "/try/worker.js")
        let allowed = try #require(HTTPField.Name("Service-Worker-Allowed"))
        #expect(worker.headerFields[allowed] == "../try")
        #expect(worker.headerFields[.cacheControl] == "no-cache")
        guard case .bytes(_, let type) = worker.content else { throw WrongContent() }
        #expect(type == "text/javascript; charset=utf-8")
        for event in ["push", "pushsubscriptionchange", "notificationclick", "install", "activate", "fetch"] {
            #expect(worker.text.contains("addEventListener(\"\(event)\""), "\(event)")
        }
    }

    @Test("The manifest begins the app at the page, with the code of its address if it is one")
    func manifest() async throws {
        let bench = try bench()
        func start(_ code: String?) async throws -> JSONValue? {
            let query = code.map { ["code": $0] } ?? [:]
            let manifest = try await bench.endpoint(.get, "/try/manifest.webmanifest", query: query)
            #expect(manifest.headerFields[.cacheControl] == "no-store")
            return try JSONValue(parsing: manifest.text)["start_url"]
        }
        #expect(try await start(nil) == "../try")
        #expect(try await start("000g4-0r40m-30e20-9185g-r38e1-w") == "../try#000G40R40M30E209185GR38E1W")
        for other in ["", "javascript:alert(1)", "https://evil.example", String(repeating: "0", count: 27)] {
            #expect(try await start(other) == "../try", "\(other)")
        }
        let icons = try JSONValue(parsing: TryPage.manifest(with: nil).text)["icons"]?.array
        #expect(icons?.compactMap { $0["purpose"]?.string } == ["any", "maskable"])
    }

    @Test("The icon is a PNG of the size that the manifest names")
    func icon() async throws {
        let icon = try await bench().endpoint(.get, "/try/icon.png")
        guard case .bytes(let bytes, let type) = icon.content else { throw WrongContent() }
        #expect(type == "image/png" && bytes.prefix(8).elementsEqual([137, 80, 78, 71, 13, 10, 26, 10]))
        // The width and the height follow the first chunk's length and type.
        let numbers = [16, 20].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        #expect(numbers == [TryIcon.size, TryIcon.size])
    }

    private struct WrongContent: Error {}
}

extension FunctionResponse {
    /// The content as a text.
    fileprivate var text: String {
        switch content {
        case .html(let text): text
        case .bytes(let bytes, _): String(decoding: bytes, as: UTF8.self)
        case .none, .json, .text, .file: ""
        }
    }
}
