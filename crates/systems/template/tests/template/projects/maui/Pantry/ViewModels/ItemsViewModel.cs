using System.Collections.ObjectModel;
using CommunityToolkit.Mvvm.ComponentModel;
using CommunityToolkit.Mvvm.Input;
using Pantry.Models;
using Pantry.Services;

namespace Pantry.ViewModels;

public partial class ItemsViewModel : ObservableObject
{
    private readonly IItemStore _store;

    [ObservableProperty]
    private bool _isBusy;

    public ObservableCollection<Item> Items { get; } = new();

    public ItemsViewModel(IItemStore store) => _store = store;

    [RelayCommand]
    private async Task LoadAsync()
    {
        IsBusy = true;
        foreach (var item in await _store.AllAsync())
        {
            Items.Add(item);
        }
        IsBusy = false;
    }
}
