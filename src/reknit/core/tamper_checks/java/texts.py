"""Program texts in Java: the tests that must pass and fail, and the second harness.

`§` marks what is filled in, since braces are part of the language.
"""

CANARIES = """
    §annotation§
    public void §passing§() {
        §assert§(§length§, "§passing§".length());
    }

    §annotation§
    public void §failing§() {
        §assert§(1, "§failing§".length());
    }

    §annotation§
    public void §thrown§() {
        throw new AssertionError("§thrown§");
    }

    §annotation§
    public void §wrong§() {
        throw new IllegalStateException("§wrong§");
    }
"""
PLAIN_CHECK = """
    private static void §check§(int expected, int actual) {
        if (expected != actual) {
            throw new AssertionError("§check§");
        }
    }
"""

DRIVER = r"""
    private interface §Body§ {
        void run(§Name§ on) throws Throwable;
    }

    private static int §count§;

    private static void §call§(String start, String test, §Body§ before, §Body§ body, §Body§ after) {
        String problem = null;
        try {
            §Name§ on = new §Name§();
            before.run(on);
            try {
                body.run(on);
            } finally {
                after.run(on);
            }
        } catch (Throwable thrown) {
            problem = thrown.getClass() == §Failure§.class ? thrown.getMessage() : thrown.toString();
        }
        §count§++;
        String message = problem == null ? "" : problem.substring(0, Math.min(400, problem.length()));
        StringBuilder said = new StringBuilder();
        for (char sign : message.toCharArray()) {
            said.append(sign == '"' || sign == '\\' ? "\\" + sign : sign < ' ' ? " " : "" + sign);
        }
        String line = "\"test\": \"" + test + "\", \"ok\": " + (problem == null);
        §out§.println(start + "{" + line + ", \"message\": \"" + said + "\"}");
    }

    private static final java.io.PrintStream §out§ = System.out;

    public static void main(String[] given) throws Throwable {
        int[] signs = {§signs§};
        StringBuilder start = new StringBuilder();
        for (int at = 0; at < signs.length; at++) {
            start.append(String.format("%02x", signs[at] ^ (§mask§ + at) % 256));
        }
§first§§calls§        §out§.println(start + "{\"end\": " + §count§ + "}");
        §out§.flush();
        Runtime.getRuntime().halt(0);
    }
"""
CALL = """        §call§(start.toString(), "§id§", on -> {
§before§        }, on -> on.§method§(), on -> {
§after§        });
"""

FAILURE = """§package§
public class §Failure§ extends RuntimeException {
    public §Failure§(String message) {
        super(message);
    }
}
"""

ASSERTIONS = r"""§package§
import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Callable;

public class §Checks§ {
    public interface Action {
        void run() throws Throwable;
    }

    static void differ(Object message, Object expected, Object actual) {
        String words = "expected:§space§<" + expected + "> but was:§space§<" + actual + ">";
        if (§is4§ && expected instanceof String && actual instanceof String) {
            words = "expected:<";
        }
        throw new §Failure§(message == null ? words : message + "§between§" + words);
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
            throw new §Failure§(message == null ? "§arrays§" : message + "");
        }
    }

    static void holds(Object message, boolean expected, boolean actual) {
        if (expected != actual) {
            String both = "expected: <" + expected + "> but was: <" + actual + ">";
            String words = §is4§ ? "java.lang.AssertionError" : both;
            String joined = §is4§ ? message + "" : message + " ==> " + words;
            throw new §Failure§(message == null ? words : joined);
        }
    }

    public static <T extends Throwable> T assertThrows(Class<T> kind, Action action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            if (kind.isInstance(thrown)) {
                return kind.cast(thrown);
            }
            throw new §Failure§("§U§nexpected exception type thrown");
        }
        throw new §Failure§("§E§xpected " + kind.getName() + " to be thrown, but nothing was thrown");
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
            §Checks§.<RuntimeException>rethrow(problem);
            return null;
        }
    }

    public static void assertAll(Action... actions) {
        for (Action action : actions) {
            try {
                action.run();
            } catch (Throwable problem) {
                §Checks§.<RuntimeException>rethrow(problem);
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
            throw new §Failure§("iterable lengths differ");
        }
    }

    public static void fail() {
        throw new §Failure§("AssertionError");
    }

    public static void fail(String message) {
        throw new §Failure§(message);
    }

    private static boolean both(Object expected, Object actual) {
        return expected == actual;
    }
§methods§}
"""


_BOXES = {
    "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float", "double": "Double",
    "char": "Character",
}  # fmt: skip
_LISTS = ("Object", "int", "long", "byte", "char", "short", "boolean", "float", "double")
_SIMPLE = {
    "assertTrue(boolean actual)": "holds(§said§, true, actual);",
    "assertFalse(boolean actual)": "holds(§said§, false, actual);",
    "assertNull(Object actual)": "if (actual != null) { differ(§said§, null, actual); }",
    "assertNotNull(Object actual)": "holds(§said§, true, actual != null);",
    "assertSame(Object expected, Object actual)": "holds(§said§, true, both(expected, actual));",
    "assertNotSame(Object expected, Object actual)": "holds(§said§, false, both(expected, actual));",
    "assertEquals(double expected, double actual, double delta)": "near(§said§, expected, actual, delta);",
    "assertEquals(float expected, float actual, float delta)": "near(§said§, expected, actual, delta);",
}


def _pairs(*, is_junit_4: bool) -> list[tuple[str, str]]:
    """Of types that are compared: all that JUnit has, so that the compiler chooses as it would there."""
    if is_junit_4:
        return [("Object", "Object"), ("long", "long"), ("double", "double")]
    mixed = [(one, other) for plain, box in _BOXES.items() for one in (plain, box) for other in (plain, box)]
    return [("Object", "Object"), *mixed]


def _methods(*, is_junit_4: bool) -> str:
    """Each assertion with and without a message, which JUnit 4 has first."""
    texts = dict(_SIMPLE)
    for one, other in _pairs(is_junit_4=is_junit_4):
        texts[f"assertEquals({one} expected, {other} actual)"] = "same(§said§, expected, actual);"
        negated = "holds(§said§, false, Objects.equals(expected, actual));"
        texts[f"assertNotEquals({one} expected, {other} actual)"] = negated
    for kind in _LISTS:
        texts[f"assertArrayEquals({kind}[] expected, {kind}[] actual)"] = "list(§said§, expected, actual);"
    message = "String message"
    found = []
    for head, body in texts.items():
        said = head.replace("(", f"({message}, ") if is_junit_4 else head.replace(")", f", {message})")
        found += [(head, filled(body, said="null")), (said, filled(body, said="message"))]
    return "".join(f"\n    public static void {head} {{\n        {body}\n    }}\n" for head, body in found)


def assertions(*, is_junit_4: bool) -> str:
    """Says what the JUnit of that version would say."""
    return filled(
        ASSERTIONS,
        methods=_methods(is_junit_4=is_junit_4),
        is4=str(is_junit_4).lower(),
        space="" if is_junit_4 else " ",
        U="u" if is_junit_4 else "U",
        E="e" if is_junit_4 else "E",
        between=" " if is_junit_4 else " ==> ",
        arrays="arrays first differed" if is_junit_4 else "array contents differ",
    )


def filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"§{name}§", value)
    return text
