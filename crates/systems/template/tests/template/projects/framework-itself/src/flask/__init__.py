from flask.app import Flask

__all__ = ["Flask"]
