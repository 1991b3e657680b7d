using System.Globalization;
using CsvHelper;

namespace CsvSum;

public static class Summer
{
    public static decimal Sum(string file, string column)
    {
        using var reader = new StreamReader(file);
        using var csv = new CsvReader(reader, CultureInfo.InvariantCulture);
        decimal total = 0;
        csv.Read();
        csv.ReadHeader();
        while (csv.Read())
        {
            total += csv.GetField<decimal>(column);
        }
        return total;
    }
}
