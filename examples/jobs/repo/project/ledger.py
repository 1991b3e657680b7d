"""A ledger: lines of `account,amount`, with amounts such as 12.30."""


def total(lines, account):
    """The sum of the amounts of an account, as text with two decimals."""
    raise NotImplementedError
