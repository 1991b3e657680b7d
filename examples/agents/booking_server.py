"""Books rooms over HTTP, in the standard library alone.

POST /book          books a room; the same Idempotency-Key gets the same booking again
GET  /booked?…      200 with the booking of a key, 404 if there is none
"""

import http.server
import json
import sys
import urllib.parse

BOOKINGS: dict[str, dict] = {}


class Desk(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers["Idempotency-Key"]
        if "room" not in asked or "day" not in asked:
            # 4xx: it was not done, and trying again is no use.
            return self.say(422, {"error": "a booking has a room and a day"})
        if key not in BOOKINGS:
            BOOKINGS[key] = {"booking": len(BOOKINGS) + 1, "room": asked["room"], "day": asked["day"]}
        self.say(200, BOOKINGS[key])

    def do_GET(self) -> None:
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        found = BOOKINGS.get(query.get("idempotency_key", [""])[0])
        self.say(200 if found else 404, found or {"error": "nothing was booked under that key"})

    def say(self, status: int, value: dict) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 4021
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Desk)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
