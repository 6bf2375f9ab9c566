import pytest

from contract.store import StoreContract


class TestMemory(StoreContract):
    @pytest.fixture
    def address(self):
        return "memory://"

    @pytest.fixture
    def again(self, store):
        # What is in memory is there once.
        return lambda: store
