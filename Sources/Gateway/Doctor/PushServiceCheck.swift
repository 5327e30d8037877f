import Messaging

/// The way to a push service, which makes the findings itself.
struct PushServiceCheck: DoctorExamination {
    let isRemote = true

    private let service: any PushService.Type

    init(of service: any PushService.Type) { self.service = service }

    func findings(in context: DoctorContext) async -> [Finding] {
        await context.configuration.services.examine(service, context.host)
    }
}
