using Bookings.Application.Rooms;
using Bookings.Domain.Rooms;

namespace Bookings.Infrastructure.Persistence;

internal sealed class RoomRepository : IRoomRepository
{
    private readonly BookingsDbContext _context;

    public RoomRepository(BookingsDbContext context) => _context = context;

    public async Task<Room?> FindAsync(Guid id, CancellationToken token) => await _context.Rooms.FindAsync(id, token);

    public Task SaveAsync(Room room, CancellationToken token) => _context.SaveChangesAsync(token);
}
