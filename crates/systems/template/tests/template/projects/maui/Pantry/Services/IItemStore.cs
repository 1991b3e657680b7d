using Pantry.Models;

namespace Pantry.Services;

public interface IItemStore
{
    Task<IReadOnlyList<Item>> AllAsync();
    Task SaveAsync(Item item);
}
