using Bookings.Application.Rooms.Queries;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddControllers();
builder.Services.AddMediatR(options => options.RegisterServicesFromAssemblyContaining<GetRoomQuery>());
var app = builder.Build();
app.MapControllers();
app.Run();
