import DocumentStore
import Functions
import Messaging

/// A device that a question is about.
struct FoundDevice: Sendable {
    let path: DocumentPath
    /// The registration; `nil` if it is gone.
    let document: Document?
    /// The list of its system; `nil` if it is not known.
    let list: DeviceList?
}

/// The subject of a question why notifications do not arrive.
enum DiagnosisSubject: Sendable {
    case devices([FoundDevice], notes: [String])
    /// Devices that a system notifies together.
    case group(DeviceGroup, DeviceList)
    /// A document that is no registration.
    case document(DocumentPath)
    /// A token that this gateway made, whose registration is gone.
    case removedToken
    /// A text that looks like a token and is none, with the reason.
    case unusableToken(String)
    case nothing(isToken: Bool, notes: [String])
}

/// A search for the subject of a question. It reads a bounded number of registrations: tokens have no index, since a
/// trigger would pay for it.
struct DiagnosisSearch: Sendable {
    /// The greatest number of registrations that are looked at.
    private static let maximumRegistrations = 10_000
    /// The number that is read together.
    private static let batch = 500

    let sender: DirectSender
    let history: DeliveryHistory
    let lists: [DeviceList]
    /// The greatest number of devices.
    let limit: Int

    /// Returns the subject that a text names.
    func subject(of text: String) async throws -> DiagnosisSubject {
        let forms = sender.resolver.forms
        let token = RegistrationToken(text)
        // A token in no service's form is not known to be one.
        let isToken = forms.transport(of: token) != forms.otherwise
        // A directory begins with a slash, and no path of a document does.
        if !isToken {
            let path = text.hasPrefix("/") ? nil : try? DocumentPath(text)
            if let path, let subject = try await subject(at: path) { return subject }
            if let subject = try await group(text) { return subject }
        }
        if case .failure(.unregistered) = try await sender.resolver.registration(of: token) { return .removedToken }
        let (found, notes) = try await registrations(of: text)
        guard found.isEmpty else { return .devices(found, notes: notes) }
        let gone = try await formerRegistrations(text)
        guard gone.isEmpty else { return .devices(gone, notes: notes) }
        if isToken, let problem = forms.problem(with: text) { return .unusableToken(problem.text(in: "it")) }
        return .nothing(isToken: isToken, notes: notes)
    }

    private func subject(at path: DocumentPath) async throws -> DiagnosisSubject? {
        let list = lists.first { $0.has(path) }
        let document = try await sender.store.document(at: path)
        if list != nil || document.flatMap(sender.address) != nil {
            return .devices([FoundDevice(path: path, document: document, list: list)], notes: [])
        }
        if let group = try await group(path.description) { return group }
        return document == nil ? nil : .document(path)
    }

    private func group(_ text: String) async throws -> DiagnosisSubject? {
        for list in lists {
            if let group = try await list.group(named: text, limit: limit) { return .group(group, list) }
        }
        return nil
    }

    /// Returns the registrations with an id or a token, and a note if not all were looked at.
    private func registrations(of text: String) async throws -> (found: [FoundDevice], notes: [String]) {
        let registration = try? await sender.resolver.registration(of: RegistrationToken(text)).get()
        // The document of a token that was made here has the device's own token in its address.
        let own = try registration?.target.registration
        let token = sender.resolver.forms.address(of: text).token
        var (found, left) = ([FoundDevice](), Self.maximumRegistrations)
        for list in lists {
            var place: DocumentPath?
            repeat {
                let (documents, next) = try await list.part(after: place, limit: Self.batch)
                left -= max(1, documents.count)
                for document in documents where found.count < limit {
                    guard
                        document.path == own || document.path.id == text
                            || sender.address(in: document)?.token == token
                    else { continue }
                    found.append(FoundDevice(path: document.path, document: document, list: list))
                }
                place = next
                // The store may answer at once. Requests that take less time must not wait for all of a search.
                await Task.yield()
            } while place != nil && left > 0 && found.count < limit
        }
        let bound = "Only the first \(Self.maximumRegistrations) registrations were looked at."
        return (found, left > 0 ? [] : [bound])
    }

    /// Returns registrations that are gone, by the messages to them that are kept.
    private func formerRegistrations(_ id: String) async throws -> [FoundDevice] {
        let entries = try await history.notifications(limit: limit) { $0.id == id }.entries
        var paths: [DocumentPath] = []
        for path in entries.compactMap(\.notification.registration) where !paths.contains(path) { paths.append(path) }
        return paths.map { path in FoundDevice(path: path, document: nil, list: lists.first { $0.has(path) }) }
    }
}
