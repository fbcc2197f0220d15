from adbc_drivers_validation.tests import connection
from adbc_drivers_validation.tests.connection import *  # noqa: F403

from conftest import QUIRKS


def pytest_generate_tests(metafunc):
    connection.generate_tests(QUIRKS, metafunc)
