from flask import Flask

from linkshelf.views import links


def create_app():
    app = Flask(__name__)
    app.register_blueprint(links.blueprint)
    return app
