// The assertions of JUnit 5, or of JUnit 4 if IS_JUNIT_4 is true; those of many types are added to it.
//
// Placeholders: Checks, Failure and IS_JUNIT_4.

import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Callable;

public class Checks {
    public interface Action {
        void run() throws Throwable;
    }

    static void differ(Object message, Object expected, Object actual) {
        String space = IS_JUNIT_4 ? "" : " ";
        String words = "expected:" + space + "<" + expected + "> but was:" + space + "<" + actual + ">";
        if (IS_JUNIT_4 && expected instanceof String && actual instanceof String) {
            words = "expected:<";
        }
        String between = IS_JUNIT_4 ? " " : " ==> ";
        throw new Failure(message == null ? words : message + between + words);
    }

    static void same(Object message, Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            differ(message, expected, actual);
        }
    }

    static void near(Object message, double expected, double actual, double delta) {
        if (Double.doubleToLongBits(expected) != Double.doubleToLongBits(actual)
                && !(Math.abs(expected - actual) <= delta)) {
            differ(message, expected, actual);
        }
    }

    static void list(Object message, Object expected, Object actual) {
        if (!Arrays.deepEquals(new Object[] {expected}, new Object[] {actual})) {
            String words = IS_JUNIT_4 ? "arrays first differed" : "array contents differ";
            throw new Failure(message == null ? words : message + "");
        }
    }

    static void holds(Object message, boolean expected, boolean actual) {
        if (expected != actual) {
            String both = "expected: <" + expected + "> but was: <" + actual + ">";
            String words = IS_JUNIT_4 ? "java.lang.AssertionError" : both;
            String joined = IS_JUNIT_4 ? message + "" : message + " ==> " + words;
            throw new Failure(message == null ? words : joined);
        }
    }

    public static <T extends Throwable> T assertThrows(Class<T> kind, Action action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            if (kind.isInstance(thrown)) {
                return kind.cast(thrown);
            }
            String unexpected = IS_JUNIT_4 ? "unexpected" : "Unexpected";
            throw new Failure(unexpected + " exception type thrown");
        }
        String expected = IS_JUNIT_4 ? "expected " : "Expected ";
        throw new Failure(expected + kind.getName() + " to be thrown, but nothing was thrown");
    }

    @SuppressWarnings("unchecked")
    static <E extends Throwable> void rethrow(Throwable problem) throws E {
        throw (E) problem;
    }

    public static void assertDoesNotThrow(Action action) {
        assertAll(action);
    }

    public static <T> T assertDoesNotThrow(Callable<T> action) {
        try {
            return action.call();
        } catch (Exception problem) {
            Checks.<RuntimeException>rethrow(problem);
            return null;
        }
    }

    public static void assertAll(Action... actions) {
        for (Action action : actions) {
            try {
                action.run();
            } catch (Throwable problem) {
                Checks.<RuntimeException>rethrow(problem);
            }
        }
    }

    public static void assertIterableEquals(Iterable<?> expected, Iterable<?> actual) {
        Iterator<?> one = expected.iterator();
        Iterator<?> other = actual.iterator();
        while (one.hasNext() && other.hasNext()) {
            same(null, one.next(), other.next());
        }
        if (one.hasNext() || other.hasNext()) {
            throw new Failure("iterable lengths differ");
        }
    }

    public static void fail() {
        throw new Failure("AssertionError");
    }

    public static void fail(String message) {
        throw new Failure(message);
    }

    private static boolean both(Object expected, Object actual) {
        return expected == actual;
    }
}
