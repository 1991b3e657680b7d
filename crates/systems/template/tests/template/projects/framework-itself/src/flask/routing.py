class Rule:
    def __init__(self, pattern, function):
        if not pattern.startswith("/"):
            raise ValueError("a rule begins with a slash")
        self.pattern = pattern
        self.function = function
