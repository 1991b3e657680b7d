using Bookings.Domain.Rooms;
using ErrorOr;
using MediatR;

namespace Bookings.Application.Rooms.Commands;

public sealed record ReserveRoomCommand(Guid RoomId, DateOnly Day, string Guest) : IRequest<ErrorOr<Reservation>>;

public sealed class ReserveRoomCommandHandler : IRequestHandler<ReserveRoomCommand, ErrorOr<Reservation>>
{
    private readonly IRoomRepository _rooms;

    public ReserveRoomCommandHandler(IRoomRepository rooms) => _rooms = rooms;

    public async Task<ErrorOr<Reservation>> Handle(ReserveRoomCommand command, CancellationToken token)
    {
        var room = await _rooms.FindAsync(command.RoomId, token);
        if (room is null)
        {
            return Error.NotFound("Room.Missing", "There is no such room.");
        }
        var made = room.Reserve(command.Day, command.Guest);
        await _rooms.SaveAsync(room, token);
        return made;
    }
}
