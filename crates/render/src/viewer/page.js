// Starts the player of a page that has everything inside. The address may name a step: #step=3.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.querySelector("main");
  const root = pavane.element("div", { id: "player" });
  const canvas = pavane.element("canvas");
  const [unit, sender] = pavane.words(data);
  const tip = pavane.element("p", { text: `A row for every channel, a column for every ${unit}, in the colour of the ${sender}; pale cells are idle.` });
  const details = pavane.element("details", {},
    pavane.element("summary", { text: `Channels in every ${unit}` }), tip, pavane.element("div", { class: "scroll" }, canvas));
  main.append(pavane.facts(data), root, details);
  const wanted = Number((location.hash.match(/step=(\d+)/) || [])[1] || 0);
  const player = pavane.viewer(root, data, { step: wanted });
  pavane.fit([root], 160);
  window.addEventListener("resize", () => pavane.fit([root], 160));
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    const { wide, high } = pavane.chart(canvas, data);
    canvas.onclick = (event) => player.show(Math.floor(event.offsetX / wide));
    canvas.onpointermove = (event) => {
      const channel = data.channels[Math.floor(event.offsetY / high)];
      const step = Math.floor(event.offsetX / wide);
      if (channel) canvas.title = `channel ${data.routers[channel[0]][3]} → ${data.routers[channel[1]][3]}, ${unit} ${step}`;
    };
  });
  window.player = player;
})();
