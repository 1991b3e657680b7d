"""Loans of a small library."""

from datetime import date, timedelta

from members import may_borrow

LOAN_DAYS = 21


def lend(book, member, today):
    """Lends a book to a member, or says no."""
    if not may_borrow(member):
        return None
    return {"book": book, "member": member, "due": today + timedelta(days=LOAN_DAYS)}


def overdue(loan, today):
    """How many days a loan is late."""
    return max((today - loan["due"]).days, 0)


def remind(loans):
    """Those who must be written to today."""
    return [loan["member"] for loan in loans if overdue(loan, date.today()) > 0]
