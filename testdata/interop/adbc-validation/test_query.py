from adbc_drivers_validation.tests import query
from adbc_drivers_validation.tests.query import *  # noqa: F403

from conftest import QUIRKS


def pytest_generate_tests(metafunc):
    query.generate_tests(QUIRKS, metafunc)
