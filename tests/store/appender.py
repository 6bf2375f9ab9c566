"""A program that appends acts to a project and says of each that it is kept, until it is killed."""

import sys
from datetime import UTC, datetime

from wayword.guidance.actions import Comment, Entry
from wayword.store.urls import open_store


def main(address: str, name: str, first: int, last: int) -> None:
    store = open_store(address)
    for k in range(first, last):
        entry = Entry(Comment("d1", f"remark {k}"), name, datetime.now(UTC), f"{name} {k}")
        print(entry.act_id, store.append(entry), sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
