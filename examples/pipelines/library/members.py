"""Members of a small library."""

MOST_LOANS = 5


def may_borrow(member):
    """Whether a member may take one more book."""
    return member["active"] and member["loans"] < MOST_LOANS
