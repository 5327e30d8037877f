import ArgumentParser
import Cryptography
import Foundation
import Gateway
import JSON
import Logging

/// The verb `certificates`.
struct Certificates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List and revoke the certificates that the gateway obtained.",
        discussion: """
            They are those of http.acme.domains. The verbs read the data directory, so they take the options of \
            “serve” and run on the gateway's machine; “revoke” also asks the authority. docs/https.md explains both.
            """,
        subcommands: [List.self, Revoke.self], defaultSubcommand: List.self)
}

extension Certificates {
    /// The verb `certificates list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the names and the ends of their certificates.")

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print each name as a line of JSON, for programs.")
        var json = false

        func run() async throws {
            let certificates = try await options.obtainedCertificates()
            for name in certificates.names {
                let certificate = try certificates.certificate(for: name)
                print(json ? Self.json(name, certificate).text : "\(name)\t\(Self.text(certificate))")
            }
        }

        private static func json(_ name: String, _ certificate: CertificateFacts?) -> JSONValue {
            var object: JSONObject = ["name": .string(name)]
            object["valid_until"] = certificate.map { .string(end(of: $0).formatted(.iso8601)) }
            return .object(object)
        }

        private static func end(of certificate: CertificateFacts) -> Date {
            Date(timeIntervalSince1970: TimeInterval(certificate.notAfter))
        }

        private static func text(_ certificate: CertificateFacts?) -> String {
            guard let certificate else { return "no certificate yet" }
            let end = end(of: certificate)
            return (end < .now ? "expired on " : "valid until ") + end.formatted(.iso8601)
        }
    }

    /// The verb `certificates revoke`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a certificate.",
            discussion: """
                Do this if somebody else may have its private key. Within a minute a running gateway begins to obtain \
                another certificate. There is no way back.
                """)

        /// The reasons of RFC 5280 §5.3.1 that authorities accept from an owner.
        enum Reason: String, CaseIterable, ExpressibleByArgument {
            case unspecified, keyCompromise, superseded, cessationOfOperation

            var code: Int {
                switch self {
                case .unspecified: 0
                case .keyCompromise: 1
                case .superseded: 4
                case .cessationOfOperation: 5
                }
            }
        }

        @Argument(help: ArgumentHelp("The name, such as push.example.com.", valueName: "NAME"))
        var name: String

        @Option(help: ArgumentHelp("The reason.", valueName: "REASON"))
        var reason = Reason.unspecified

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON, for programs.")
        var json = false

        func run() async throws {
            let certificates = try await options.obtainedCertificates()
            try await certificates.revoke(name.lowercased(), reason: reason.code)
            guard !json else { return print(JSONValue.object(["revoked": .string(name.lowercased())]).text) }
            print("\(certificates.authority) has revoked the certificate for \(name.lowercased()).")
        }
    }
}

extension ConfigurationOptions {
    fileprivate func obtainedCertificates() async throws -> ObtainedCertificates {
        var logger = Logger(label: "pushgate")
        logger.logLevel = .warning
        return try ObtainedCertificates(try await reader()(), logger: logger)
    }
}
