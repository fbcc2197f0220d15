from adbc_drivers_validation.tests import statement
from adbc_drivers_validation.tests.statement import *  # noqa: F403

from conftest import QUIRKS


def pytest_generate_tests(metafunc):
    statement.generate_tests(QUIRKS, metafunc)
