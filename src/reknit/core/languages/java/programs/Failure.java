// A failed assertion.
//
// Placeholders: Failure.

public class Failure extends RuntimeException {
    public Failure(String message) {
        super(message);
    }
}
