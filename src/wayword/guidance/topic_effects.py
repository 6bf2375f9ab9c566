"""What acts on topics and terms do to the state; see `wayword.guidance.folding`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wayword.guidance import actions as acts
from wayword.guidance.draft import Draft, Turn
from wayword.guidance.label_effects import label_taken, put_label


def _topic_gone(draft: Draft, topics: Iterable[str]) -> str | None:
    """Return why one of some topics is not there."""
    for topic in topics:
        if topic in draft.merged_topics:
            return f"the topic {topic!r} is gone: merged into {draft.merged_topics[topic]!r}"
        if topic not in draft.split_topics.get(topic, (topic,)):
            return f"the topic {topic!r} is gone: split"
    return None


def _topic_fixed(draft: Draft, topics: Iterable[str]) -> str | None:
    """Return why one of some topics cannot be changed: it is gone or frozen."""
    for topic in topics:
        if reason := _topic_gone(draft, [topic]):
            return reason
        if topic in draft.frozen:
            return f"the topic {topic!r} is frozen"
    return None


def _term_barred(draft: Draft, topic: str, terms: Iterable[str]) -> str | None:
    """Return why one of some terms cannot be an anchor of a topic."""
    for term in terms:
        if term in draft.banned:
            return f"the term {term!r} is banned"
        if term in draft.forbidden.get(topic, ()):
            return f"the term {term!r} is forbidden in the topic {topic!r}"
    return None


def _set_anchors(turn: Turn, act: acts.SetAnchors) -> str | None:
    draft = turn.draft
    if reason := _topic_fixed(draft, [act.topic]) or _term_barred(draft, act.topic, act.terms):
        return reason
    if draft.anchors.get(act.topic, ()) == act.terms:
        return f"the topic {act.topic!r} has these anchors already"
    draft.put(draft.anchors, act.topic, act.terms)
    return None


def _add_anchor(turn: Turn, act: acts.AddAnchor) -> str | None:
    draft = turn.draft
    if reason := _topic_fixed(draft, [act.topic]) or _term_barred(draft, act.topic, [act.term]):
        return reason
    before = draft.anchors.get(act.topic, ())
    if act.term in before:
        return f"the topic {act.topic!r} has the anchor {act.term!r} already"
    draft.put(draft.anchors, act.topic, (*before, act.term))
    return None


def _remove_anchor(turn: Turn, act: acts.RemoveAnchor) -> str | None:
    if reason := _topic_fixed(turn.draft, [act.topic]):
        return reason
    if act.term not in turn.draft.anchors.get(act.topic, ()):
        return f"the topic {act.topic!r} has no anchor {act.term!r}"
    _drop_anchor(turn.draft, act.topic, act.term)
    return None


def _drop_anchor(draft: Draft, topic: str, term: str) -> None:
    draft.put(draft.anchors, topic, tuple(other for other in draft.anchors.get(topic, ()) if other != term))


def _rename_topic(turn: Turn, act: acts.RenameTopic) -> str | None:
    draft = turn.draft
    if reason := _topic_gone(draft, [act.topic]):
        return reason
    if draft.topic_names.get(act.topic) == act.name:
        return f"the topic {act.topic!r} has the name {act.name!r} already"
    draft.put(draft.topic_names, act.topic, act.name)
    return None


def _forget_topic(draft: Draft, topic: str) -> None:
    """Clear what was said about a topic that is gone, apart from its name, by which people remember it."""
    for table in (draft.anchors, draft.forbidden):
        if topic in table:
            draft.put(table, topic, None)


def _merge_topics(turn: Turn, act: acts.MergeTopics) -> str | None:
    draft = turn.draft
    if reason := _topic_fixed(draft, [*act.topics, act.into]):
        return reason
    told = [term for topic in (act.into, *act.topics) for term in draft.anchors.get(topic, ())]
    allowed = [term for term in told if term not in draft.forbidden.get(act.into, ())]
    draft.put(draft.anchors, act.into, tuple(dict.fromkeys(allowed)))
    for topic in act.topics:
        _forget_topic(draft, topic)
        draft.put(draft.merged_topics, topic, act.into)
    return None


def _is_known(draft: Draft, topic: str) -> bool:
    """Whether anything has been said about a topic."""
    tables = (draft.parts, draft.merged_topics, draft.split_topics, draft.anchors, draft.topic_names)
    return any(topic in table for table in (*tables, draft.forbidden, draft.frozen, draft.promoted))


def _split_topic(turn: Turn, act: acts.SplitTopic) -> str | None:
    draft = turn.draft
    if reason := _topic_fixed(draft, [act.topic]):
        return reason
    new = [part for part in act.into if part != act.topic]
    for part in new:
        if _is_known(draft, part):
            return f"the id {part!r} is that of another topic"
    parts = (*draft.split_topics.get(act.topic, ()), *act.into)
    if act.topic not in act.into:
        parts = tuple(part for part in parts if part != act.topic)
        _forget_topic(draft, act.topic)
    draft.put(draft.split_topics, act.topic, tuple(dict.fromkeys(parts)))
    for part in new:
        draft.put(draft.parts, part, act.topic)
    return None


def _freeze_topic(turn: Turn, act: acts.FreezeTopic) -> str | None:
    draft = turn.draft
    if reason := _topic_gone(draft, [act.topic]):
        return reason
    if (act.topic in draft.frozen) == act.frozen:
        return f"the topic {act.topic!r} is {'frozen already' if act.frozen else 'not frozen'}"
    draft.put(draft.frozen, act.topic, act.frozen)
    return None


def _ban_term(turn: Turn, act: acts.BanTerm) -> str | None:
    draft = turn.draft
    if (act.term in draft.banned) == act.banned:
        return f"the term {act.term!r} is {'banned already' if act.banned else 'not banned'}"
    draft.put(draft.banned, act.term, act.banned)
    if act.banned:
        for topic in [topic for topic, terms in draft.anchors.items() if act.term in terms]:
            _drop_anchor(draft, topic, act.term)
    return None


def _forbid_term(turn: Turn, act: acts.ForbidTerm) -> str | None:
    draft = turn.draft
    if reason := _topic_fixed(draft, [act.topic]):
        return reason
    before = draft.forbidden.get(act.topic, frozenset())
    if (act.term in before) == act.forbidden:
        return f"the term {act.term!r} is {'forbidden already' if act.forbidden else 'not forbidden'}"
    draft.put(draft.forbidden, act.topic, before | {act.term} if act.forbidden else before - {act.term})
    if act.forbidden and act.term in draft.anchors.get(act.topic, ()):
        _drop_anchor(draft, act.topic, act.term)
    return None


def _set_purity(turn: Turn, act: acts.SetPurity) -> str | None:
    if turn.draft.purity == act.purity:
        return f"the purity is {act.purity:g} already"
    turn.draft.set_purity(act.purity)
    return None


def _promote_topic(turn: Turn, act: acts.PromoteTopic) -> str | None:
    draft = turn.draft
    if reason := _topic_gone(draft, [act.topic]) or label_taken(draft, act.label, act.name):
        return reason
    theme = draft.promoted.get(act.topic)
    if theme and not draft.label_set[theme].gone:
        return f"the topic {act.topic!r} is the theme {theme!r} already"
    put_label(draft, act.label, act.name)
    draft.put(draft.promoted, act.topic, act.label)
    return None


TOPIC_EFFECTS: dict[type[acts.Act], Callable[[Turn, Any], str | None]] = {
    acts.SetAnchors: _set_anchors,
    acts.AddAnchor: _add_anchor,
    acts.RemoveAnchor: _remove_anchor,
    acts.RenameTopic: _rename_topic,
    acts.MergeTopics: _merge_topics,
    acts.SplitTopic: _split_topic,
    acts.FreezeTopic: _freeze_topic,
    acts.BanTerm: _ban_term,
    acts.ForbidTerm: _forbid_term,
    acts.PromoteTopic: _promote_topic,
    acts.SetPurity: _set_purity,
}
