import Cryptography
import DocumentStore
import FCMInterface
import FirestoreAPI
import HTTPTypes
import IPAddresses
import RequestRules
import Secrets
import Server

/// The rules of access to the databases.
///
/// | client | its databases | the gateway's own database |
/// | --- | --- | --- |
/// | with the admin token | reads and writes | reads and writes single documents, redacted |
/// | with an access token of an account that was made for Firestore | reads and writes | nothing |
/// | without a token, or with `owner`, on loopback or among the allowed peers | reads and writes | nothing |
/// | any other | nothing | nothing |
///
/// A gateway that does not serve the interface gives access to its own database only.
struct FirestoreAccess: Sendable {
    /// The token that Google's libraries send to an emulator.
    static let emulatorToken = "owner"

    /// `true` if the gateway serves the interface.
    let isServed: Bool
    let adminToken: RedactedString
    let tokens: AccessTokens
    let clientAddress: ClientAddress
    let allowedPeers: [AddressRange]
    let origins: FirestoreOrigins

    /// The identity that a client has proved.
    private enum Identity: Hashable {
        case administrator
        /// A service account that was made for Firestore.
        case account
        /// A client on this machine, or among the allowed peers.
        case neighbor
        case stranger(FirestoreStatus)
    }

    /// The operator.
    var administrator: FirestoreCaller { caller(.administrator) }

    /// Returns the client of a call.
    func caller(of request: FirestoreRequest) -> FirestoreCaller {
        caller(identity(of: request))
    }

    /// Returns the client of a call whose database is not known yet.
    ///
    /// - Throws: the refusal of a stranger, who has access to no database.
    func knownCaller(of request: FirestoreRequest) throws(FirestoreStatus) -> FirestoreCaller {
        let identity = identity(of: request)
        if case .stranger(let status) = identity { throw status }
        return caller(identity)
    }

    private func caller(_ identity: Identity) -> FirestoreCaller {
        FirestoreCaller { database in
            database == .gateway ? Self.ownAccess(of: identity) : access(of: identity)
        }
    }

    /// Returns the identity of a call's client.
    private func identity(of request: FirestoreRequest) -> Identity {
        guard let token = request.headerFields.bearerToken, token != Self.emulatorToken else {
            return identityWithoutToken(request)
        }
        if ConstantTime.equal(Array(token.utf8), Array(adminToken.value.utf8)) { return .administrator }
        if let grant = tokens.grant(of: token) {
            return grant.scopes.contains(.firestore) ? .account : .stranger(.notForFirestore)
        }
        return Self.isJSONWebToken(token)
            ? identityWithoutToken(request) : .stranger(.refused(tokens.fault(of: token)))
    }

    /// Returns `true` for the token of a user of Firebase Authentication, which web and mobile SDKs send also to an
    /// emulator. There are no rules here that could use it, so it means as much as no token.
    private static func isJSONWebToken(_ token: String) -> Bool {
        token.split(separator: ".", omittingEmptySubsequences: false).count == 3
    }

    private func identityWithoutToken(_ request: FirestoreRequest) -> Identity {
        guard isNeighbor(request) else { return .stranger(.beyondLoopback) }
        if let refusal = origins.refusal(of: request) { return .stranger(FirestoreStatus(refusal)) }
        return .neighbor
    }

    private func isNeighbor(_ request: FirestoreRequest) -> Bool {
        clientAddress.isFromLoopback(peer: request.peer, headerFields: request.headerFields)
            || clientAddress.isFrom(allowedPeers, peer: request.peer, headerFields: request.headerFields)
    }

    /// Returns a client's access to a database that is not the gateway's own.
    private func access(of identity: Identity) -> Result<FirestoreCaller.Access, FirestoreStatus> {
        guard isServed else { return .failure(.notServed) }
        return switch identity {
        case .stranger(let status): .failure(status)
        case .administrator, .account, .neighbor: .success(.full)
        }
    }

    /// Returns a client's access to the gateway's own database.
    private static func ownAccess(of identity: Identity) -> Result<FirestoreCaller.Access, FirestoreStatus> {
        switch identity {
        case .administrator: .success(.redacted)
        case .account, .neighbor, .stranger(.beyondLoopback): .failure(.gatewayDatabase)
        case .stranger(let status): .failure(status)
        }
    }
}

/// Refusals. None of them passes by itself, so no code is one that clients retry on. Listeners connect again after
/// `UNAUTHENTICATED`, which is therefore only for tokens that the client can replace.
extension FirestoreStatus {
    static let gatewayDatabase = FirestoreStatus(
        .permissionDenied,
        "\(DatabaseID.gateway) is this gateway's own database, which is open to the admin token only. Name another "
            + "project, for example with GOOGLE_CLOUD_PROJECT=demo-app, or another database.")

    static let notServed = FirestoreStatus(
        .permissionDenied,
        "this gateway does not serve Firestore's interface. Set firestore.enabled=true to serve it, or unset "
            + "FIRESTORE_EMULATOR_HOST in the program to use Google's Firestore.")

    static let beyondLoopback = FirestoreStatus(
        .permissionDenied,
        "without an access token, Firestore's interface is for programs on the gateway's machine. Add the client's "
            + "address to firestore.allowedPeers, or send the access token of a service account that “pushgate init "
            + "--scope firestore” creates.")

    static let notForFirestore = FirestoreStatus(
        .permissionDenied,
        "the access token is not for Firestore. Create a service account with “pushgate init --scope firestore”, "
            + "and ask for the scope https://www.googleapis.com/auth/datastore.")

    fileprivate static func refused(_ fault: AccessTokens.Fault) -> FirestoreStatus {
        switch fault {
        case .expired: FirestoreStatus(.unauthenticated, "the access token has expired; get another one from /token")
        case .ofAnotherGateway:
            FirestoreStatus(
                .unauthenticated,
                "the access token belongs to another gateway, or to an earlier data directory of this one")
        case .notAToken:
            FirestoreStatus(
                .unauthenticated,
                "this is neither an access token nor the admin token of this gateway. Clients on its machine need "
                    + "none: leave the token out, or set FIRESTORE_EMULATOR_HOST")
        }
    }

    fileprivate init(_ refusal: OriginRefusal) {
        let text =
            switch refusal {
            case .page(let origin?):
                "web pages of \(origin) may not use Firestore's interface without an access token; if they are yours, "
                    + "add \(origin) to firestore.allowedOrigins"
            case .page(nil):
                "web pages of other sites, and pages that hide their origin, may not use Firestore's interface "
                    + "without an access token"
            case .host: refusal.message
            }
        self.init(.permissionDenied, text)
    }
}
