"""Every Protocol that an adapter or the store implements, one module per capability."""
