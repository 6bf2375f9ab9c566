from contract.store import StoreContract


class TestFile(StoreContract):
    """The address of the shared fixtures is that of a file."""
