"""Fits on one thread of BLAS: its threads cost more than they bring on blocks of bags.

They also sum in another order, and last bits may send a fit to another optimum: so a fit gives the
same model whatever the machine has.
"""

from threadpoolctl import threadpool_limits

on_one_thread = threadpool_limits.wrap(limits=1, user_api="blas")
