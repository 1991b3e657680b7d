using CommunityToolkit.Mvvm.ComponentModel;
using Pantry.Models;

namespace Pantry.ViewModels;

public partial class ItemDetailViewModel : ObservableObject
{
    [ObservableProperty]
    private Item? _item;

    public bool IsExpired(DateTime now) => Item is not null && Item.BestBefore < now;
}
