using Bookings.Domain.Rooms;

namespace Bookings.Application.Rooms;

public interface IRoomRepository
{
    Task<Room?> FindAsync(Guid id, CancellationToken token);
    Task SaveAsync(Room room, CancellationToken token);
}
