package com.shop;

import java.util.List;
import java.util.concurrent.*;
import static java.lang.Math.max;
import static com.shop.Keys.*;

/** An order. */
@Entity(name = "s3cret")
public sealed class Order<T extends Item> extends Base<T> implements Named, Priced permits Small {
    private static final int LIMIT = 5, MORE[] = {1};
    public static final String KEY = "hunter2";
    protected String name = "x", nick;

    static { init(); }

    public Order(String name) throws IOException {
        super(name);
    }

    @Override
    @Deprecated(since = "9")
    public <K> List<K> sell(final @Nullable K item, int... rest) throws Gone {
        return new ArrayList<K>() {
            @Override public int size() { return 1; }
        };
    }

    abstract void close();

    enum Color implements Named {
        RED("r"), GREEN { void f() {} };
        final String code;
        Color(String code) { this.code = code; }
        public String code() { return code; }
    }

    public record Point(int x, @Min(1) int y) implements Named {
        Point { check(x); }
        static Point origin() { return null; }
    }

    static class Builder {
        class Deep { int toString; }
    }
}

sealed interface Shape permits Circle {
    int SIDES = 4;
    double area();
    default String label() { return "x"; }
    private void hidden() {}
}

@interface Marker {
    String value() default "s3cret";
}
