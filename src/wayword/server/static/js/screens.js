/** The screens, in the order of the rail; `key` goes there after a `g`. */
export const SCREENS = [
  { id: "overview", name: "Overview", key: "o" },
  { id: "label", name: "Label", key: "l" },
  { id: "topics", name: "Topics", key: "t" },
  { id: "documents", name: "Documents", key: "d" },
  { id: "quality", name: "Quality", key: "q" },
  { id: "exchange", name: "Exchange", key: "e" },
];
