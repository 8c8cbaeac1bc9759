"""Every Protocol the outside world implements, one module per capability."""
