"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paper = matchMedia("print");
  const templates = JSON.parse(document.getElementById("templates").textContent);
  const config = { displayModeBar: false, displaylogo: false, responsive: true, showTips: false };
  const narrow = 520;

  function draw(source, mode) {
    const place = document.getElementById(source.dataset.figure);
    const { data, layout } = JSON.parse(source.textContent);
    place.hidden = false;
    layout.template = templates[mode];
    // Rings are as high as they are wide, planes less so.
    layout.height = Math.min(layout.height, Math.max(300, place.clientWidth * (layout.xaxis ? 0.8 : 1)));
    if (place.clientWidth < narrow) {
      layout.font = { size: 11 };
      layout.margin = { ...layout.margin, l: 8, r: 8 };
      for (const axis of [layout.xaxis, layout.yaxis]) if (axis) axis.title = { text: "" };
      // Names would meet; pointing at a topic tells them, and so does the table.
      data.forEach((trace) => { if (trace.mode === "markers+text") trace.mode = "markers"; });
    }
    return Plotly.react(place, data, layout, config);
  }

  function drawAll() {
    const mode = dark.matches && !paper.matches ? "dark" : "light";
    document.querySelectorAll("script[data-figure]").forEach((source) => draw(source, mode));
  }

  if (window.Plotly) {
    drawAll();
    for (const media of [dark, paper]) media.addEventListener("change", drawAll);
  }

  const find = document.getElementById("find");
  const found = document.getElementById("found");
  const cards = [...document.querySelectorAll(".card")];
  const texts = cards.map((card) => card.textContent.toLowerCase());
  find.parentElement.hidden = cards.length < 4;
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    cards.forEach((card, k) => { card.hidden = !texts[k].includes(wanted); });
    found.textContent = wanted ? `${cards.filter((card) => !card.hidden).length} of ${cards.length}` : "";
  });
  // A link to a card that the search has hidden shows it again.
  addEventListener("hashchange", () => {
    const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (card && card.hidden) {
      find.value = "";
      find.dispatchEvent(new Event("input"));
      card.scrollIntoView();
    }
  });
})();
