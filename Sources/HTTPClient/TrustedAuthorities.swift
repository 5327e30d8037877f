import CCurl
import Cryptography

/// The authorities that a client trusts, read once for all of its connections, and again when their file has changed.
///
/// libcurl by itself reads them for each connection. It would keep them in the multi handle, of which each connection
/// has its own here, but not if it has a folder of certificates too, as Debian's has
/// ([`CURLOPT_CA_CACHE_TIMEOUT`](https://curl.se/libcurl/c/CURLOPT_CA_CACHE_TIMEOUT.html)).
final class TrustedAuthorities {
    typealias Instant = ContinuousClock.Instant

    /// The time after which they are read again in any case, because those in a folder change by the system's updates.
    private static let lifetime = Duration.seconds(3_600)

    private let file: String?
    private let directory: String?
    private var known: (store: TrustStore, version: FileVersion?, until: Instant)?

    /// The reason why they could not be read the last time; `nil` if they could.
    private(set) var problem: String?

    /// Takes the authorities of a configuration; `nil` if libcurl must read them itself, because its TLS is another
    /// library's or it was built without a place for them.
    init?(_ configuration: HTTPClient.Configuration) {
        guard let library = CCurl_tls_library(), String(cString: library).hasPrefix(TrustStore.library) else {
            return nil
        }
        if let caFile = configuration.caFile {
            (file, directory) = (caFile, nil)
        } else {
            file = Self.text(CCurl_authority_file())
            directory = Self.text(CCurl_authority_folder())
        }
        guard file != nil || directory != nil else { return nil }
    }

    private static func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map { String(cString: $0) } }

    /// Makes an easy handle trust these authorities, which must outlive it, and libcurl read none.
    func set(on easy: EasyHandle) {
        easy.set(CURLOPT_CAINFO, nil)
        easy.set(CURLOPT_CAPATH, nil)
        easy.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        CCurl_easy_set_tls_callback(easy.pointer, useAuthorities, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns the certificates; `nil` if they cannot be read.
    fileprivate func store(at now: Instant) -> TrustStore? {
        let version = file.flatMap { FileVersion(at: $0) }
        // A file that is away for a moment keeps its effect: another one is probably taking its place.
        if let known, now < known.until, version == nil || version == known.version { return known.store }
        do throws(CryptographyError) {
            let store = try TrustStore(file: file, directory: directory)
            known = (store, version, now + Self.lifetime)
            problem = nil
            return store
        } catch {
            known = nil
            problem = error.description
            return nil
        }
    }
}

/// libcurl's callback with the context of TLS of a new connection. The last argument is the authorities.
private func useAuthorities(
    _: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ authorities: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context, let authorities else { return CURLE_SSL_CACERT_BADFILE }
    let trusted = Unmanaged<TrustedAuthorities>.fromOpaque(authorities).takeUnretainedValue()
    guard let store = trusted.store(at: .now) else { return CURLE_SSL_CACERT_BADFILE }
    store.use(in: context)
    return CURLE_OK
}
