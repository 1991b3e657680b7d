namespace Bookings.Domain.Rooms;

public sealed record Reservation(Guid Id, Guid RoomId, DateOnly Day, string Guest);
