namespace CsvSum;

public static class Program
{
    public static int Main(string[] args)
    {
        if (args.Length != 2)
        {
            Console.Error.WriteLine("usage: csvsum FILE COLUMN");
            return 2;
        }
        Console.WriteLine(Summer.Sum(args[0], args[1]));
        return 0;
    }
}
