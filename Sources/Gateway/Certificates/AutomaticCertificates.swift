import ACME
import Cryptography
import DocumentStore
import HTTPClient
import Instance
import Logging
import Metrics
import Server
import ServiceLifecycle
import Signals
import Synchronization

/// A service that obtains the certificates of `http.acme.domains`, and renews them.
///
/// Each name has a certificate of its own, so that a name that leads elsewhere does not hold up the others.
final class AutomaticCertificates: Service {
    private let settings: ACMESettings
    private let folder: CertificateFolder
    private let files: CertificateFiles
    private let challenges: ChallengeAnswers
    private let port: ListeningAddress
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let loop: WorkLoop
    private let schedules: Mutex<[String: RenewalSchedule]>
    private let hasAgreed = Mutex(false)
    /// The certificates that could not be written. Another one would count against the authority's limits.
    private let unsaved = Mutex<[String: IssuedCertificate]>([:])

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - files: The certificates in use, which find the new ones in the folder.
    ///   - challenges: The answers to the authority, on the port that it asks.
    ///   - port: The address of that port; nothing is asked for before it is open.
    init(
        _ settings: ACMESettings, _ folder: CertificateFolder, files: CertificateFiles,
        challenges: ChallengeAnswers, port: ListeningAddress, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) {
        self.settings = settings
        self.folder = folder
        self.files = files
        self.challenges = challenges
        self.port = port
        self.now = now
        self.logger = logger
        loop = WorkLoop(clock: clock)
        schedules = Mutex(Dictionary(uniqueKeysWithValues: settings.domains.map { ($0, RenewalSchedule()) }))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard await self.port.urlUnlessCancelled != nil else { return }
            await self.loop.run {
                for name in self.settings.domains { await self.check(name) }
                return .untilWork(atMost: self.pause)
            }
        }
        try? await gracefulShutdown()
    }

    /// Tries again at once what has failed.
    func retry() {
        schedules.withLock { schedules in
            for name in settings.domains { schedules[name]?.retry() }
        }
        loop.notify()
    }

    /// The time until the next look at the certificates: at most a minute, because their files may be removed, and the
    /// clock may jump.
    private var pause: Duration {
        let next = schedules.withLock { $0.values.compactMap(\.next).min() }
        return min(max(next.map { $0 - now() } ?? .seconds(60), .seconds(1)), .seconds(60))
    }

    private func check(_ name: String) async {
        guard !Task.isCancelled else { return }
        // A file that cannot be read is not looked at during the pause after a failure either.
        guard !update(name, { $0.isPaused(at: now()) }) else { return }
        do throws(GatewayError) {
            files.refresh()
            // A file that cannot be used, because somebody changed it, is replaced like one that is missing.
            let stored = try folder.certificate(for: name)
            let certificate = files.missingNames.contains(name) ? nil : stored
            update(name) { $0.use(certificate, jitter: .random(in: 0...1)) }
            if let certificate { await askForWindow(of: certificate, name) }
            guard update(name, { $0.isDue(at: now()) }) else { return }
            try await obtain(name, replacing: certificate)
        } catch {
            fail(name, "\(error)", retryAfter: nil)
        }
    }

    @discardableResult
    private func update<Result: Sendable>(_ name: String, _ change: (inout RenewalSchedule) -> Result) -> Result {
        schedules.withLock { change(&$0[name, default: RenewalSchedule()]) }
    }

    private func askForWindow(of certificate: CertificateFacts, _ name: String) async {
        guard update(name, { $0.isQuestionDue(at: now()) }) else { return }
        var window: RenewalWindow?
        do {
            window = try await settings.withClient(logger) { http throws(ACMEError) in
                try await RenewalWindow.of(certificate, directory: settings.session.directory, http: http)
            }
        } catch {
            logger.debug(
                "failed to read renewal information", metadata: ["name": "\(name)", "error": "\(error)"])
        }
        update(name) { $0.suggest(window, at: now(), jitter: .random(in: 0...1)) }
    }

    private func obtain(_ name: String, replacing replaced: CertificateFacts?) async throws(GatewayError) {
        guard let certificate = try await issued(name, replacing: replaced) else { return }
        unsaved.withLock { $0[name] = certificate }
        try folder.keep(certificate, for: name)
        unsaved.withLock { $0[name] = nil }
        Counter(label: Self.counter, dimensions: [("outcome", "issued")]).increment()
        update(name) { $0.use(try? folder.certificate(for: name), jitter: .random(in: 0...1)) }
        files.refresh()
    }

    /// Returns a new certificate; `nil` if that failed and is in the log.
    private func issued(
        _ name: String, replacing replaced: CertificateFacts?
    ) async throws(GatewayError) -> IssuedCertificate? {
        if let certificate = unsaved.withLock({ $0[name] }) { return certificate }
        let key = try folder.accountKey()
        logger.info("obtaining a TLS certificate", metadata: ["name": "\(name)", "authority": "\(folder.authority)"])
        do {
            return try await settings.withClient(logger) { http throws(ACMEError) in
                let session = try await ACMESession.open(settings.session, key: key, http: http)
                report(session.termsOfService)
                return try await session.certificate(for: name, replacing: replaced, answering: challenges)
            }
        } catch {
            // An attempt that shutdown interrupts is made again at the next start.
            if error.kind != .cancelled { fail(name, error.text(for: name), retryAfter: error.retryAfter) }
            return nil
        }
    }

    private func report(_ termsOfService: String?) {
        guard let termsOfService else { return }
        let isSaid = hasAgreed.withLock { hasAgreed in
            defer { hasAgreed = true }
            return hasAgreed
        }
        guard !isSaid else { return }
        logger.notice(
            "agreeing to the certificate authority's terms of service, as http.acme.domains implies",
            metadata: ["authority": "\(folder.authority)", "terms": "\(termsOfService)"])
    }

    private func fail(_ name: String, _ text: String, retryAfter: Duration?) {
        let next = update(name) { $0.fail(retryAfter: retryAfter, at: now(), jitter: .random(in: 0...1)) }
        Counter(label: Self.counter, dimensions: [("outcome", "failed")]).increment()
        logger.error(
            "failed to obtain a TLS certificate",
            metadata: ["name": "\(name)", "error": "\(text)", "next attempt": "\(next)"])
    }

    private static let counter = "pushgate_certificate_orders_total"
}

extension ACMESettings {
    /// Runs `body` with a client for requests to the authority. Its thread ends with it: a certificate is obtained
    /// every few weeks.
    func withClient<Output: Sendable>(
        _ logger: Logger, _ body: (HTTPClient) async throws(ACMEError) -> Output
    ) async throws(ACMEError) -> Output {
        var configuration = HTTPClient.Configuration()
        configuration.caFile = caFile
        configuration.userAgent = "pushgate/\(GatewayVersion.current)"
        let http = HTTPClient(configuration: configuration, logger: logger)
        let result: Result<Output, ACMEError>
        do {
            result = .success(try await body(http))
        } catch {
            result = .failure(error)
        }
        await http.shutdown()
        return try result.get()
    }
}

extension ACMEError {
    /// The reason, with what an operator can do about it.
    fileprivate func text(for name: String) -> String {
        guard case .refused(let type) = kind, let advice = Self.advice(type, name) else { return description }
        return "\(description.trimmingSuffix(".")). \(advice)"
    }

    private static func advice(_ type: String, _ name: String) -> String? {
        switch type {
        case "connection", "unauthorized":
            "Check that http://\(name) leads to http.redirectPort of this gateway, also for IPv6, and that a firewall "
                + "lets port 80 through"
        case "dns": "Check the address records of \(name)"
        case "caa": "A CAA record in the DNS does not permit this authority"
        case "rejectedIdentifier": "This authority does not certify \(name)"
        case "rateLimited": "Try with http.acme.directory=letsencrypt-staging until all works"
        case "externalAccountRequired": "Set http.acme.externalAccount to the account that this authority gave you"
        default: nil
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self[...]
    }
}
