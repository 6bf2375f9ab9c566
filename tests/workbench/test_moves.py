from wayword.workbench.live import Move
from wayword.workbench.moves import compare
from wayword.workbench.views import TopicMoveView


def test_a_topic_whose_anchors_alone_changed_tells_them_before_and_after():
    before = {"bread": Move(("bread",), ("bread", "soup")), "moon": Move(("moon",), ("moon",))}
    after = before | {"bread": Move(("bread", "soup"), ("bread", "soup"))}
    found = compare(before, after, {"bread": "Food"}, 3, 4)
    assert found.moved == [TopicMoveView("bread", "Food", ["bread", "soup"], ["bread"], [], [])]


def test_anchors_in_another_order_and_words_in_another_order_are_no_move():
    before = {"bread": Move(("bread", "soup"), ("bread", "soup"))}
    after = {"bread": Move(("soup", "bread"), ("soup", "bread"))}
    assert compare(before, after, {}, 3, 4).moved == []
