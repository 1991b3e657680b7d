from flask.routing import Rule


class Flask:
    def __init__(self, import_name):
        self.import_name = import_name
        self.rules = []

    def route(self, rule):
        def decorate(function):
            self.rules.append(Rule(rule, function))
            return function

        return decorate
