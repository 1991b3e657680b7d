using Bookings.Domain.Rooms;
using MediatR;

namespace Bookings.Application.Rooms.Queries;

public sealed record GetRoomQuery(Guid Id) : IRequest<Room?>;

public sealed class GetRoomQueryHandler : IRequestHandler<GetRoomQuery, Room?>
{
    private readonly IRoomRepository _rooms;

    public GetRoomQueryHandler(IRoomRepository rooms) => _rooms = rooms;

    public Task<Room?> Handle(GetRoomQuery query, CancellationToken token) => _rooms.FindAsync(query.Id, token);
}
