using Pantry.Services;
using Pantry.ViewModels;
using Pantry.Views;

namespace Pantry;

public static class MauiProgram
{
    public static MauiApp CreateMauiApp()
    {
        var builder = MauiApp.CreateBuilder();
        builder.UseMauiApp<App>();
        builder.Services.AddSingleton<IItemStore, SqliteItemStore>();
        builder.Services.AddTransient<ItemsViewModel>();
        builder.Services.AddTransient<ItemsPage>();
        return builder.Build();
    }
}
