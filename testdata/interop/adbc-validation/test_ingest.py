from adbc_drivers_validation.tests import ingest
from adbc_drivers_validation.tests.ingest import *  # noqa: F403

from conftest import QUIRKS


def pytest_generate_tests(metafunc):
    ingest.generate_tests(QUIRKS, metafunc)
