// The members that the copy of a test class gets, by which it calls its tests and prints a line for each result.
//
// Placeholders: TestClass, TestBody, Failure, resultCount, output, callTest, callTests, SIGNS and MASK.

class TestClass {
    private interface TestBody {
        void run(TestClass on) throws Throwable;
    }

    private static int resultCount;

    private static void callTest(String start, String test, TestBody before, TestBody body, TestBody after) {
        String problem = null;
        try {
            TestClass on = new TestClass();
            before.run(on);
            try {
                body.run(on);
            } finally {
                after.run(on);
            }
        } catch (Throwable thrown) {
            problem = thrown.getClass() == Failure.class ? thrown.getMessage() : thrown.toString();
        }
        resultCount++;
        String message = problem == null ? "" : problem.substring(0, Math.min(400, problem.length()));
        StringBuilder escaped = new StringBuilder();
        for (char sign : message.toCharArray()) {
            escaped.append(sign == '"' || sign == '\\' ? "\\" + sign : sign < ' ' ? " " : "" + sign);
        }
        String line = "\"test\": \"" + test + "\", \"ok\": " + (problem == null);
        output.println(start + "{" + line + ", \"message\": \"" + escaped + "\"}");
    }

    private static final java.io.PrintStream output = System.out;

    public static void main(String[] given) throws Throwable {
        int[] signs = {SIGNS};
        StringBuilder start = new StringBuilder();
        for (int at = 0; at < signs.length; at++) {
            start.append(String.format("%02x", signs[at] ^ (MASK + at) % 256));
        }
        callTests(start.toString());
        output.println(start + "{\"end\": " + resultCount + "}");
        output.flush();
        Runtime.getRuntime().halt(0);
    }
}
