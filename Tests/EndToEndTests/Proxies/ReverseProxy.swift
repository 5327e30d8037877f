import Foundation
import TestDoubles
import TestSupport
import Testing

/// A proxy in front of a gateway and of an app's own server, with its configuration from docs/functions.md.
enum ReverseProxy: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nginx
    case caddy

    /// The text with which the own server answers every request.
    static let ownAnswer = "own server"

    var testDescription: String { rawValue }

    /// `true` if it can be run.
    var isInstalled: Bool { executable != nil }

    private var executable: String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The language of its configuration in the page.
    private var language: String { self == .nginx ? "nginx" : "caddyfile" }

    /// Runs it for the body, which gets its port.
    ///
    /// - Parameter gateway: the port of the gateway.
    func running(before gateway: UInt16, _ body: (UInt16) async throws -> Void) async throws {
        let (port, own) = (UInt16(try unusedPort()), UInt16(try unusedPort()))
        let documented = try documentedConfiguration()
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(gateway)")
            .replacing("127.0.0.1:3000", with: "127.0.0.1:\(own)")
        try await withTemporaryDirectory { directory in
            let file = directory + "/configuration"
            let configuration =
                self == .nginx ? nginx(documented, port, own, directory) : caddy(documented, port, own)
            try configuration.write(toFile: file, atomically: true, encoding: .utf8)
            let arguments =
                self == .nginx
                ? ["-p", directory, "-c", file, "-e", "stderr"] : ["run", "--adapter", "caddyfile", "--config", file]
            try await ChildProcess.running(
                try #require(executable), arguments, environment: ["HOME": directory, "XDG_DATA_HOME": directory]
            ) { child in
                let isReady = await eventually {
                    await RawExchange("GET / HTTP/1.1\r\nHost: runs.example.com\r\n\r\n").run(port: port).answers.count
                        == 1
                }
                try #require(isReady, "\(child.errorText)")
                try await body(port)
            }
        }
    }

    /// Returns the page's block in the proxy's language.
    private func documentedConfiguration() throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/functions.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let blocks = text.components(separatedBy: "```\(language)\n").dropFirst()
        try #require(blocks.count == 1)
        return try #require(blocks.first?.components(separatedBy: "\n```").first)
    }

    private func nginx(_ documented: String, _ port: UInt16, _ own: UInt16, _ directory: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory)/\($0);" }.joined(separator: "\n")
        return """
            daemon off;
            master_process off;
            pid \(directory)/pid;
            events {}
            http {
            access_log off;
            \(temporary)
            server {
                listen 127.0.0.1:\(own);
                location / { return 200 "\(Self.ownAnswer)"; }
            }
            \(documented.replacing("listen 80;", with: "listen 127.0.0.1:\(port);"))
            }
            """
    }

    private func caddy(_ documented: String, _ port: UInt16, _ own: UInt16) -> String {
        // Without a certificate, since no authority certifies names of examples.
        let sites = documented.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasSuffix(".example.com {") ? "http://\(line.dropLast(2)):\(port) {" : String(line)
        }
        return """
            {
                admin off
                default_bind 127.0.0.1
            }
            http://:\(own) {
                respond "\(Self.ownAnswer)"
            }
            \(sites.joined(separator: "\n"))
            """
    }
}
