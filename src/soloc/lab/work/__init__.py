"""Work behind the page: quick answers, jobs that take seconds, and the processes that do both."""
