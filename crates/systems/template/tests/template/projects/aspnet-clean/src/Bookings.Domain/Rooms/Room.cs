using ErrorOr;

namespace Bookings.Domain.Rooms;

public sealed class Room
{
    private readonly List<Reservation> _reservations = new();

    public Room(Guid id, string name)
    {
        Id = id;
        Name = name;
    }

    public Guid Id { get; }
    public string Name { get; }

    public ErrorOr<Reservation> Reserve(DateOnly day, string guest)
    {
        if (_reservations.Any(reservation => reservation.Day == day))
        {
            return Error.Conflict("Room.Taken", "The room is taken on that day.");
        }
        var made = new Reservation(Guid.NewGuid(), Id, day, guest);
        _reservations.Add(made);
        return made;
    }
}
