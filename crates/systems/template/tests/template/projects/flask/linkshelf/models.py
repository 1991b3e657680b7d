from dataclasses import dataclass


@dataclass
class Link:
    url: str

    def host(self) -> str:
        try:
            return self.url.split("/")[2]
        except IndexError:
            raise ValueError("not a link")
