using Pantry.Models;
using Pantry.ViewModels;
using Xunit;

namespace Pantry.Tests;

public class ItemDetailViewModelTests
{
    [Fact]
    public void An_old_item_is_expired()
    {
        var model = new ItemDetailViewModel { Item = new Item { BestBefore = new DateTime(2020, 1, 1) } };
        Assert.True(model.IsExpired(new DateTime(2024, 1, 1)));
    }
}
