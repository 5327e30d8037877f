import Messaging

/// The way to a push service, which has the findings itself.
struct PushServiceCheck: DoctorCheck {
    let isRemote = true

    private let service: any PushService.Type

    init(of service: any PushService.Type) { self.service = service }

    var part: String { service.name.rawValue }

    func findings(in context: DoctorContext) async -> [Finding] {
        await context.configuration.services.examine(service, context.host)
    }
}
