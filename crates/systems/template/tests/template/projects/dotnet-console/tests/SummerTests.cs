using NUnit.Framework;

namespace CsvSum.Tests;

[TestFixture]
public class SummerTests
{
    [Test]
    public void Sums_a_column()
    {
        File.WriteAllText("t.csv", "a,b\n1,2\n3,4\n");
        Assert.That(Summer.Sum("t.csv", "b"), Is.EqualTo(6));
    }
}
