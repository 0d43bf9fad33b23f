"""Every law of `laws`, of every task of `tasks`."""

import pytest

from tests.laws.laws import LAWS
from tests.laws.tasks import TASKS


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_of_every_task(law, task):
    law(task)
