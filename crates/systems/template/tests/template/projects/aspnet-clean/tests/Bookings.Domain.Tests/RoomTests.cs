using Bookings.Domain.Rooms;
using Xunit;

namespace Bookings.Domain.Tests;

public class RoomTests
{
    [Fact]
    public void A_taken_day_cannot_be_reserved_again()
    {
        var room = new Room(Guid.NewGuid(), "North");
        room.Reserve(new DateOnly(2024, 5, 1), "Ana");
        Assert.True(room.Reserve(new DateOnly(2024, 5, 1), "Ben").IsError);
    }
}
