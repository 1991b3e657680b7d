using Pantry.Models;
using SQLite;

namespace Pantry.Services;

public class SqliteItemStore : IItemStore
{
    private readonly SQLiteAsyncConnection _connection;

    public SqliteItemStore(string path) => _connection = new SQLiteAsyncConnection(path);

    public async Task<IReadOnlyList<Item>> AllAsync() => await _connection.Table<Item>().ToListAsync();

    public async Task SaveAsync(Item item)
    {
        if (item.Amount < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(item));
        }
        await _connection.InsertOrReplaceAsync(item);
    }
}
