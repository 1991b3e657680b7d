namespace Pantry.Models;

public class Shelf
{
    public int Id { get; set; }
    public string Label { get; set; } = string.Empty;
}
