namespace Pantry.Models;

public class Item
{
    public int Id { get; set; }
    public string Name { get; set; } = string.Empty;
    public int Amount { get; set; }
    public DateTime BestBefore { get; set; }
}
