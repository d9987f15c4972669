using System;
using static System.Math;
using Json = Newtonsoft.Json.Linq;
global using Shop.Items;

namespace Shop.Core;

[Serializable]
[Key("s3cret")]
public sealed partial class Order<T> : Base<T>, INamed where T : class, new()
{
    private readonly int _n = 1, _m;
    public const string Key = "hunter2";
    public event EventHandler? Changed;
    public int Total { get; private set; } = 5;
    public string Full => "a" + Name;

    public Order(int n = 1) : base(n) { }
    ~Order() { }

    [Obsolete("gone")]
    public async Task<T> SellAsync<K>(this K item, [FromBody] string name = "x", params int[] rest) where K : struct
    {
        int Local() => 1;
        return default;
    }

    void INamed.Rename() => Go();
    public static Order<T> operator +(Order<T> a, int b) => a;
    public static implicit operator int(Order<T> a) => 1;
    public int this[int i] { get => i; }

    internal enum Kind : byte { Small = 1, Large }
    protected class Inner { int q; }
    public delegate void Handler(object sender, int e);
}

public partial class Order<T> { }
public record Person(string Name, int Age = 3) : Base;
public readonly record struct Point(int X) { public int Y { get; init; } }
public interface INamed { void Rename(); string Name { get; set; } }
internal class Service(IStore store) : Base(store) { }
public struct Size { public int W; }
