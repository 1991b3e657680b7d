from flask import Blueprint, abort, jsonify, request

from linkshelf.models import Link

blueprint = Blueprint("links", __name__, url_prefix="/links")
_shelf: list[Link] = []


@blueprint.get("/")
def all_links():
    return jsonify([link.url for link in _shelf])


@blueprint.post("/")
def add_link():
    url = request.get_json().get("url")
    if not url:
        abort(400)
    _shelf.append(Link(url))
    return "", 201
