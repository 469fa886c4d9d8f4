"""Nodes for the shop's access log."""

from flow import Node


class CountBy(Node):
    """Counts the rows for each value of a field, the most frequent first."""

    field: str  # The field whose values are counted.
    top: int = 10  # How many values to keep.

    def execute(self, rows):
        counts = {}
        for row in rows:
            value = row.get(self.field)
            if value is None:
                self.reject(row, f"there is no {self.field}")
            else:
                counts[value] = counts.get(value, 0) + 1
        for value, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: self.top]:
            yield {self.field: value, "count": count}


class ParseAccess(Node):
    """Parses method, path and status from the lines of an access log."""

    field: str = "message"  # The field that holds the line.

    def execute(self, rows):
        for row in rows:
            try:
                _, request, answer = row[self.field].split('"', 3)[:3]
                method, path, _ = request.split(" ")
                yield {"method": method, "path": path.split("?")[0], "status": int(answer.split()[0])}
            except (KeyError, ValueError):
                self.reject(row, "the line is not a request")
