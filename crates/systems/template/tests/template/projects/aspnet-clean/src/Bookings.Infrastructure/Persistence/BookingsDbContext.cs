using Bookings.Domain.Rooms;
using Microsoft.EntityFrameworkCore;

namespace Bookings.Infrastructure.Persistence;

public class BookingsDbContext : DbContext
{
    public DbSet<Room> Rooms => Set<Room>();
}
