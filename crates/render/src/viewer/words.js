// What a schedule is called: its words, the names and colours of its processors, and the facts above it.
"use strict";
const pavaneWords = (() => {
  const { COLOURS, element } = pavaneNetwork;

  const capital = (word) => word[0].toUpperCase() + word.slice(1);

  /** The words for a step and for the processor that determines a colour. */
  const words = (data) => data.words || ["step", "sender"];

  /** Colours are given out in the order in which senders begin. */
  function colours(data) {
    const numbers = new Map(data.senders.map((sender, at) => [sender, at % COLOURS]));
    return (sender) => numbers.get(sender) ?? 0;
  }

  /** Processors with the names of the picture. */
  const processors = (data) => (number) => {
    const place = data.processors[number];
    return `processor ${place && place[4] ? data.routers[place[3]][3] : number}`;
  };

  /** A text as it may stand in markup: names come from files. */
  const safe = (text) => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

  /** Facts above a schedule. */
  function facts(data) {
    const list = element("div", { class: "facts" });
    for (const [name, value] of data.facts) {
      const isLong = name === "because";
      const item = element("span", { class: isLong ? "because" : "fact" });
      if (isLong) item.textContent = value;
      else item.append(name + " ", element("b", { text: value }));
      list.append(item);
    }
    return list;
  }

  return { capital, words, colours, processors, safe, facts };
})();
