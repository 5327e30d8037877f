package import DocumentStore
package import Foundation
package import Messaging

/// The state of a gateway and its keys, as the console shows them.
package protocol ConsoleGateway: Sendable {
    /// The version of the program.
    var version: String { get }
    /// A description of the push services.
    var pushServices: String { get }
    /// `true` if no notification leaves the gateway.
    var isEmulator: Bool { get }
    /// The senders of the push services, such as apps with their keys.
    var senders: [PushSender] { get }
    /// The certificates of the HTTPS port; `nil` if there is no such port.
    var certificates: ShownCertificates? { get }
    /// The space on the disk with the data.
    var disk: ShownDisk { get }

    /// Returns the states of the parts that the gateway needs on its own machine.
    func checks() async -> [ShownCheck]
    /// Returns the service accounts of clients.
    func accounts() throws -> ShownAccounts
    /// The interfaces that a service account may be for.
    var accountInterfaces: [String] { get }
    /// Makes a service account, of which the gateway keeps the public key alone.
    ///
    /// - Parameters:
    ///   - interfaces: Names of ``accountInterfaces``.
    ///   - origin: The address of the console, for a gateway that does not know its own.
    /// - Returns: The file for the client.
    func makeAccount(for interfaces: [String], origin: String) throws -> String
    /// Removes a service account. Returns `false` if there is none with the key.
    func revokeAccount(keyID: String) throws -> Bool
}

/// A part of a gateway with its state.
package struct ShownCheck: Sendable {
    /// The state of a part.
    package enum State: Sendable {
        case ok
        /// Somebody should act.
        case degraded
        case failed
    }

    let name: String
    let state: State
    let problem: String?

    /// Makes the state of a part, with the problem in words for the operator; `nil` if there is none.
    package init(name: String, state: State, problem: String?) {
        self.name = name
        self.state = state
        self.problem = problem
    }
}

/// The certificates of an HTTPS port.
package struct ShownCertificates: Sendable {
    let certificates: [(names: [String], expiry: Timestamp)]
    let missingNames: [String]

    /// Makes the certificates in use, and the names for which there is none yet.
    package init(_ certificates: [(names: [String], expiry: Timestamp)], missingNames: [String]) {
        self.certificates = certificates
        self.missingNames = missingNames
    }
}

/// The space on the disk with the data of a gateway, in bytes.
package struct ShownDisk: Sendable {
    let space: (free: Int64, minimum: Int64)?
    let database: Int64?

    /// Makes the space of a disk.
    ///
    /// - Parameters:
    ///   - space: The free bytes, and those that are kept free; `nil` if they are unknown.
    ///   - database: The size of the database on this disk; `nil` if there is none.
    package init(space: (free: Int64, minimum: Int64)?, database: Int64?) {
        self.space = space
        self.database = database
    }
}

/// The service accounts of a gateway's clients.
package struct ShownAccounts: Sendable {
    /// A service account.
    package struct Account: Sendable {
        let keyID: String
        let email: String
        let interfaces: [String]
        let createdAt: Date

        /// Makes an account with the interfaces that it is for.
        package init(keyID: String, email: String, interfaces: [String], createdAt: Date) {
            self.keyID = keyID
            self.email = email
            self.interfaces = interfaces
            self.createdAt = createdAt
        }
    }

    let accounts: [Account]
    let unreadable: Int

    /// Makes a list of the accounts that can be read, and the number of the others.
    package init(_ accounts: [Account], unreadable: Int) {
        self.accounts = accounts
        self.unreadable = unreadable
    }
}
