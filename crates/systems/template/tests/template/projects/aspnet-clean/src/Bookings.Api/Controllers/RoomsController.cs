using Bookings.Application.Rooms.Commands;
using Bookings.Application.Rooms.Queries;
using MediatR;
using Microsoft.AspNetCore.Mvc;

namespace Bookings.Api.Controllers;

[ApiController]
[Route("rooms")]
public class RoomsController : ControllerBase
{
    private readonly ISender _sender;

    public RoomsController(ISender sender) => _sender = sender;

    [HttpGet("{id:guid}")]
    public async Task<IActionResult> Get(Guid id) => Ok(await _sender.Send(new GetRoomQuery(id)));

    [HttpPost("{id:guid}/reservations")]
    public async Task<IActionResult> Reserve(Guid id, DateOnly day, string guest)
    {
        var made = await _sender.Send(new ReserveRoomCommand(id, day, guest));
        return made.Match<IActionResult>(Ok, errors => Conflict(errors));
    }
}
