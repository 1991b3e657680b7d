"""What nobody is shown: policy.toml denies this folder."""


def overdue_members():
    return ["a name that must not be told"]
