/// The requests to Apple's management of channels, each of which is counted.
extension CardChannels {
    /// Returns the channels that an app has at Apple, those of other programs included.
    func channelsAtApple(
        of app: AppIdentity, _ service: any ChannelService
    ) async throws(ChannelError) -> Set<ChannelID> {
        do throws(ChannelError) {
            let channels = try await service.channels(of: app)
            count(.list, nil)
            return channels
        } catch {
            count(.list, error)
            throw error
        }
    }

    /// Deletes a channel at Apple, and leaves its document as it is.
    func deleteAtApple(
        _ channel: ChannelID, of app: AppIdentity, _ service: any ChannelService
    ) async throws(ChannelError) {
        do throws(ChannelError) {
            try await service.delete(channel, of: app)
            count(.delete, nil)
        } catch {
            count(.delete, error)
            throw error
        }
    }
}
